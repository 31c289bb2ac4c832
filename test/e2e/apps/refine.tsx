// A front end of refine, without a router: the view is a state, so that a reload shows the list.
import {
  Authenticated,
  type HttpError,
  Refine,
  useDelete,
  useForm,
  useGetIdentity,
  useList,
  useLogin,
  useLogout,
} from '@refinedev/core'
import { createClient, webStorage } from 'admin-folder/client'
import { authProvider, dataProvider } from 'admin-folder/refine'
import { StrictMode, type SubmitEvent, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Credentials, type EventRow, EventTable, Field, localInputValue, valuesOf } from './parts.tsx'

const client = createClient({ url: new URLSearchParams(location.search).get('api') ?? '', storage: webStorage(localStorage) })
const providers = {
  dataProvider: dataProvider(client, { forms: { event: { create: 'EventForm', update: 'EventForm' } } }),
  authProvider: authProvider(client),
}

type View = 'list' | 'create' | { readonly id: number | string }

function LoginPage() {
  const { mutate, data } = useLogin()
  return (
    <>
      <Credentials onSubmit={(values) => mutate(values)} />
      <output>{data?.error?.message}</output>
    </>
  )
}

function Header() {
  const { mutate: logout } = useLogout()
  const { data: identity } = useGetIdentity<{ name: string }>()
  return (
    <header>
      <span data-testid="identity">{identity?.name}</span>
      <button type="button" onClick={() => logout()}>
        Log out
      </button>
    </header>
  )
}

function EventList({ show }: { show: (view: View) => void }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [sorters, setSorters] = useState<{ field: string; order: 'asc' | 'desc' }[]>([])
  const filters = [
    { field: 'title', operator: 'contains', value: values.title__icontains },
    { field: 'q', operator: 'eq', value: values.q },
  ] as const
  const { result } = useList<Required<EventRow>>({
    resource: 'event',
    pagination: { pageSize: 5 },
    sorters,
    filters: filters.filter(({ value }) => (value ?? '') !== ''),
  })
  return (
    <EventTable
      rows={result.data}
      total={result.total}
      onFilter={(filter) => setValues({ ...values, ...filter })}
      onSort={(field) => setSorters([{ field, order: 'desc' }])}
      onCreate={() => show('create')}
      onEdit={(id) => show({ id })}
    />
  )
}

function EventForm({ id, done }: { id?: number | string; done: () => void }) {
  const target = id === undefined ? { action: 'create' as const } : { action: 'edit' as const, id }
  const { onFinish, query, mutation } = useForm<Required<EventRow>, HttpError, object>({
    resource: 'event',
    ...target,
    redirect: false,
    onMutationSuccess: done,
  })
  const { mutate: remove } = useDelete()
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({})
  const stored: Readonly<Record<string, unknown>> = query?.data?.data ?? {}
  if (id !== undefined && stored.id === undefined) return undefined
  const errors: HttpError['errors'] = mutation.error?.errors
  const input = (name: string, type = 'text') => (
    <Field
      name={name}
      type={type}
      error={errors?.[name] === undefined ? undefined : String(errors[name])}
      value={changed[name] ?? (type === 'text' ? String(stored[name] ?? '') : localInputValue(stored[name]))}
      onChange={({ target: { value } }) => setChanged({ ...changed, [name]: value })}
    />
  )
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    const values = Object.entries(valuesOf(event)).map(([name, value]) => [name, value === '' ? null : value])
    onFinish(Object.fromEntries(values)).catch(() => {})
  }
  return (
    <>
      <output>{mutation.error?.message}</output>
      <form onSubmit={submit}>
        {input('title')}
        {input('starts_at', 'datetime-local')}
        {input('ends_at', 'datetime-local')}
        <button type="submit">Save</button>
      </form>
      {id !== undefined && (
        <button type="button" onClick={() => remove({ resource: 'event', id }, { onSuccess: done })}>
          Delete
        </button>
      )}
    </>
  )
}

function Pages() {
  const [view, setView] = useState<View>('list')
  const list = () => setView('list')
  return (
    <>
      <Header />
      {view === 'list' && <EventList show={setView} />}
      {view === 'create' && <EventForm done={list} />}
      {typeof view === 'object' && <EventForm id={view.id} done={list} />}
    </>
  )
}

const options = { disableTelemetry: true, reactQuery: { clientConfig: { defaultOptions: { queries: { retry: false } } } } }

createRoot(document.body.appendChild(document.createElement('main'))).render(
  <StrictMode>
    <Refine {...providers} resources={[{ name: 'event' }]} options={options}>
      <Authenticated key="all" fallback={<LoginPage />}>
        <Pages />
      </Authenticated>
    </Refine>
  </StrictMode>,
)
