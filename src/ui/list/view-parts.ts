// Parts of saved views that are loaded on first use, as one chunk: each further chunk adds its name to what the first list loads.
export { OpenedView } from './opened-view.tsx'
export { SavedViews } from './saved-views.tsx'
