import { Link, useParams } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useEffect } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { may, useModel, useSite } from '../data/site.ts'
import { useViews } from '../data/use-views.ts'
import { ListTabs } from '../list/list-header.tsx'
import { useListState, viewOf } from '../list/list-state.ts'
import { RecordList } from '../list/record-list.tsx'
import { EmptyState, Failure, Skeleton } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { NotFound } from './not-found.tsx'

/** The records of a model. */
export function ListPage() {
  const { model: key = '' } = useParams({ strict: false })
  const model = useModel(key)
  const { title } = useSite()
  const label = model?.label
  useEffect(() => {
    if (label !== undefined) document.title = `${label} · ${title}`
  }, [label, title])
  if (model === undefined) return <NotFound />
  if (!may(model, 'view')) return may(model, 'add') ? <OnlyAdding model={model} /> : <NotFound />
  return <ModelLists key={key} model={model} />
}

function ModelLists({ model }: { readonly model: SiteModel }) {
  const { data: views, error, refetch } = useViews(model.key)
  const [state, change] = useListState()
  if (views === undefined)
    return error === null ? <Skeleton lines={12} /> : <Failure error={error} onRetry={() => void refetch()} />
  const view = viewOf(views.lists, state)
  if (view === undefined) return <NotFound />
  const tabs = views.lists.length > 1 && (
    <ListTabs
      lists={views.lists}
      shown={view}
      onChange={(name) =>
        change({ view: undefined, list: name, columns: undefined, sort: undefined, pageSize: undefined, layout: undefined })
      }
    />
  )
  return <RecordList key={view.name} {...{ model, view, tabs, state, change }} forms={views.forms} />
}

function OnlyAdding({ model }: { readonly model: SiteModel }) {
  const text = useText().list
  return (
    <>
      <h1 className="page-title">{model.label}</h1>
      <EmptyState
        title={text.notViewable}
        actions={
          <Link to="/models/$model/new" params={{ model: model.key }} className="button button-primary">
            <Plus size={16} aria-hidden />
            {text.add}
          </Link>
        }
      >
        {text.notViewableText}
      </EmptyState>
    </>
  )
}
