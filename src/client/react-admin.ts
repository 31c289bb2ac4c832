// The package `admin-folder/react-admin`.
export { authProvider } from './react-admin/auth-provider.ts'
export { type DataProviderOptions, dataProvider, type ProviderMeta } from './react-admin/data-provider.ts'
export { HttpError } from './react-admin/http-error.ts'
