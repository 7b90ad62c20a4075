/** Wait for all, for those that go on after one has failed too; reject as the first of them did. */
export async function settled<const Promises extends readonly Promise<unknown>[]>(
  promises: Promises,
): Promise<{ readonly [Index in keyof Promises]: Awaited<Promises[Index]> }> {
  await Promise.allSettled(promises)
  return (await Promise.all(promises)) as { readonly [Index in keyof Promises]: Awaited<Promises[Index]> }
}
