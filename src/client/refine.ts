// The package `admin-folder/refine`.
export { type AuthProviderOptions, authProvider } from './refine/auth-provider.ts'
export { type DataProviderOptions, dataProvider } from './refine/data-provider.ts'
export { HttpError } from './refine/http-error.ts'
