import type { ManagedStorage } from '@spillway/core'

type Counted = Pick<ManagedStorage, 'store' | 'retrieve' | 'retrieveRange' | 'stat' | 'endTurn' | 'delete'>

/** Run each operation of a scope once. Returns what each adds to `log`, as in `{ stat: '1 readFile, 2 realPath' }`. */
export async function countOperations(scope: Counted, log: string[]): Promise<Record<string, string>> {
  const content = new Uint8Array(100_000).fill(65)
  const found: Record<string, string> = {}
  const count = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
    log.length = 0
    const result = await run()
    const counts = Map.groupBy(log, (operation) => operation)
    found[name] = [...counts]
      .map(([operation, all]) => `${all.length} ${operation}`)
      .toSorted()
      .join(', ')
    return result
  }
  const reference = await count('store', () => scope.store('call_1_0', content))
  await count('store again', () => scope.store('call_1_0', content))
  await count('retrieve', () => scope.retrieve(reference))
  await count('range', () => scope.retrieveRange(reference, { offset: 50_000, length: 10 }))
  await count('stat', () => scope.stat(reference))
  await count('missing', () => Promise.allSettled([scope.retrieve('nothing')]))
  await count('end of a turn', () => scope.endTurn())
  await count('delete', () => scope.delete(reference))
  return found
}
