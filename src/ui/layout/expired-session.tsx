import { useQueryClient } from '@tanstack/react-query'
import { siteQuery } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/popups/dialog.tsx'
import { useSession } from '../session/use-session.ts'
import { useText } from '../text/text.tsx'
import { LoginForm } from './login-form.tsx'

/** Asks the user whose session has ended for the password, over the page as it is. */
export function ExpiredSession() {
  const session = useSession()
  const queries = useQueryClient()
  const text = useText().login
  const username = queries.getQueryData(siteQuery(session).queryKey)?.user.username ?? undefined
  const leave = () => {
    session.leave()
    queries.clear()
  }
  return (
    <Dialog isOpen onClose={() => {}} isDismissible={false} title={text.expiredTitle} description={text.expiredText}>
      <LoginForm username={username}>
        <Button kind="quiet" onClick={leave}>
          {text.otherUser}
        </Button>
      </LoginForm>
    </Dialog>
  )
}
