export function CreatePage() {
  return <h1>CreatePage</h1>
}
