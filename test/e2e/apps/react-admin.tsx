// A front end of react-admin without its Material UI: what it asks, when it logs in and out and how it shows errors is react-admin's own.
import { createClient, webStorage } from 'admin-folder/client'
import { authProvider, dataProvider } from 'admin-folder/react-admin'
import {
  CoreAdmin,
  CreateBase,
  EditBase,
  Form,
  type LayoutComponent,
  ListBase,
  Resource,
  useDelete,
  useGetIdentity,
  useInput,
  useListContext,
  useLogin,
  useLogout,
  useNotificationContext,
  useNotify,
  useRecordContext,
  useRedirect,
} from 'ra-core'
import { type FormEvent, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Credentials, EventTable, Field, localInputValue } from './parts.tsx'

const client = createClient({ url: new URLSearchParams(location.search).get('api') ?? '', storage: webStorage(localStorage) })
const providers = {
  dataProvider: dataProvider(client, { forms: { event: { create: 'EventForm', update: 'EventForm' } } }),
  authProvider: authProvider(client),
}

function LoginPage() {
  const login = useLogin()
  const notify = useNotify()
  return (
    <>
      <Credentials onSubmit={(values) => login(values).catch((error: Error) => notify(error.message, { type: 'error' }))} />
      <Messages />
    </>
  )
}

const Layout: LayoutComponent = ({ children }) => {
  const logout = useLogout()
  const { identity } = useGetIdentity()
  return (
    <>
      <header>
        <span data-testid="identity">{identity?.fullName}</span>
        <button type="button" onClick={() => void logout()}>
          Log out
        </button>
      </header>
      <Messages />
      {children}
    </>
  )
}

function Messages() {
  const { notifications } = useNotificationContext()
  return <output>{notifications.map(({ message }: { message: unknown }) => String(message)).join('\n')}</output>
}

function EventRows() {
  const { data = [], total, filterValues, setFilters, setSort } = useListContext()
  const redirect = useRedirect()
  return (
    <EventTable
      rows={data}
      total={total}
      onFilter={(filters) => setFilters({ ...filterValues, ...filters })}
      onSort={(field) => setSort({ field, order: 'DESC' })}
      onCreate={() => redirect('create', 'event')}
      onEdit={(id) => redirect('edit', 'event', id)}
    />
  )
}

const EventList = () => (
  <ListBase perPage={5} sort={{ field: 'id', order: 'ASC' }} debounce={0}>
    <EventRows />
  </ListBase>
)

function Input({ source, type = 'text' }: { source: string; type?: string }) {
  const format = type === 'datetime-local' ? localInputValue : (value: unknown) => value ?? ''
  const { field, fieldState } = useInput({ source, format })
  return <Field name={source} type={type} error={fieldState.error?.message} value={field.value} onChange={field.onChange} />
}

const EventInputs = () => (
  <Form>
    <Input source="title" />
    <Input source="starts_at" type="datetime-local" />
    <Input source="ends_at" type="datetime-local" />
    <button type="submit">Save</button>
  </Form>
)

const EventCreate = () => (
  <CreateBase redirect="list">
    <EventInputs />
  </CreateBase>
)

function DeleteButton() {
  const record = useRecordContext()
  const redirect = useRedirect()
  const [remove] = useDelete()
  const onClick = (event: FormEvent) => {
    event.preventDefault()
    void remove('event', { id: record?.id, previousData: record }, { onSuccess: () => redirect('list', 'event') })
  }
  return (
    <button type="button" onClick={onClick}>
      Delete
    </button>
  )
}

const EventEdit = () => (
  <EditBase mutationMode="pessimistic" redirect="list">
    <EventInputs />
    <DeleteButton />
  </EditBase>
)

createRoot(document.body.appendChild(document.createElement('main'))).render(
  <StrictMode>
    <CoreAdmin {...providers} layout={Layout} loginPage={LoginPage} disableTelemetry requireAuth>
      <Resource name="event" list={EventList} create={EventCreate} edit={EventEdit} />
    </CoreAdmin>
  </StrictMode>,
)
