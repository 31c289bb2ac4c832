export function ListPage() {
  return <h1>ListPage</h1>
}
