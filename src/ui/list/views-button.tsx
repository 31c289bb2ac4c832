import { Bookmark } from 'lucide-react'
import { Button, IconButton } from '../parts/button.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { LazyMenu } from '../parts/popups.tsx'
import { useText } from '../text/text.tsx'
import type { ShownViews } from './use-view-changes.ts'

const SavedViews = partOnUse(() => import('./view-parts.ts').then((module) => module.SavedViews))

/** The menu of saved views, which has the name of the opened one. It is loaded with the first click. */
export function ViewsButton(views: ShownViews) {
  const label = useText().list.savedViews
  const { opened } = views
  const icon = <Bookmark size={16} aria-hidden />
  const trigger =
    opened === undefined ? (
      <IconButton className="list-look" label={label} icon={icon} />
    ) : (
      <Button className="list-view" icon={icon} aria-label={`${label}: ${opened.name}`}>
        {opened.name}
      </Button>
    )
  return (
    <LazyMenu trigger={trigger}>
      <SavedViews {...views} trigger={trigger} />
    </LazyMenu>
  )
}
