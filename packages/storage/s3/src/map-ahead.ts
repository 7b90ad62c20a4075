/** Map items by `map`, at most `ahead` of them at the same time, in their order. Rejects with the first failure. */
export async function* mapAhead<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  ahead: number,
  map: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underway: Promise<Result>[] = []
  for await (const item of items) {
    const result = map(item)
    // It is waited for later, or not at all where one before it fails.
    void Promise.allSettled([result])
    underway.push(result)
    const first = underway.length < ahead ? undefined : underway.shift()
    if (first !== undefined) yield await first
  }
  for (const result of underway) yield await result
}
