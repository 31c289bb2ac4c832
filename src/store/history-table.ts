/** Key of the table of history entries, whose fields `HistoryRequest` describes. */
export const HISTORY_TABLE = 'historyentry'
