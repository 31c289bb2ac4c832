import { useEffect } from 'react'
import { takeOverFilters, type ViewAccount } from '../data/kept-filters.ts'
import { useSession } from '../data/page-session.ts'
import { may, useSite, useSiteRefresh } from '../data/site.ts'
import { useToasts } from '../parts/toast.tsx'
import { preferences } from '../preferences.ts'
import { useLaterText } from '../text/later.ts'

/** Only once while the page is loaded, also where React renders twice. */
let wasTried = false

/** Makes saved views of the filters that earlier versions have kept in the browser, and says if this failed. Shows nothing. */
export function KeptFilters() {
  const { views: text } = useLaterText()
  const session = useSession()
  const { models, user } = useSite()
  const refresh = useSiteRefresh()
  const toasts = useToasts()
  useEffect(() => {
    if (wasTried) return
    wasTried = true
    const account: ViewAccount = {
      own: () =>
        session.run(async (client) => (await client.site()).saved_views.filter(({ user_id: owner }) => owner === user.id)),
      create: (data) => session.run((client) => client.model('savedview').create({ ...data })),
    }
    const viewable = new Set(models.filter((model) => may(model, 'view')).map(({ key }) => key))
    const before = preferences.get('savedFilters')
    void takeOverFilters(preferences, viewable, account).then((isDone) => {
      if (!isDone) toasts.failed(text.notTaken, text.notTakenText)
      if (preferences.get('savedFilters') !== before) void refresh()
    })
  }, [text, session, models, user, refresh, toasts])
  return undefined
}
