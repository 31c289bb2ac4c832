import '../styles/import.css'
import { Link, useParams } from '@tanstack/react-router'
import type { SiteModel } from '../../client/client.ts'
import { may, useModel, useSite } from '../data/site.ts'
import { useViews } from '../data/use-views.ts'
import { ImportWizard } from '../import/import-wizard.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { NotFound } from './not-found.tsx'

/** Imports records of a model from a file. */
export function ImportPage() {
  const { model: key = '' } = useParams({ strict: false })
  const model = useModel(key)
  const { capabilities } = useSite()
  if (model === undefined || !capabilities.import || !may(model, 'add')) return <NotFound />
  return <ImportOf key={key} model={model} />
}

function ImportOf({ model }: { readonly model: SiteModel }) {
  const text = useText().import
  const { data: views, error, refetch } = useViews(model.key)
  return (
    <>
      <PageHeader
        title={text.title(model.label)}
        above={
          <Link to="/models/$model" params={{ model: model.key }}>
            {model.label}
          </Link>
        }
      />
      {views !== undefined && <ImportWizard model={model} forms={views.forms} />}
      {views === undefined && (error === null ? <Skeleton /> : <Failure error={error} onRetry={() => void refetch()} />)}
    </>
  )
}
