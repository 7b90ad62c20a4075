/** Carries out orders that arrive as lines of JSON. Prints `ready`, and one line for each order. */
import { createInterface } from 'node:readline'
import { importBackend } from '../backend.ts'
import type { Order, OrderedStore } from '../ordered-process.ts'
import { soakContent } from '../soak-content.ts'

const SCOPE = 'shared'
const [href = ''] = process.argv.slice(2)
const module = await importBackend<unknown>({ module: new URL(href), config: undefined })
let isStopped = false
console.log('ready')
createInterface({ input: process.stdin }).on('line', (line) => void carryOut(JSON.parse(line) as Order))

async function carryOut(order: Order): Promise<void> {
  if (order.kind === 'stop') isStopped = true
  else if (order.kind === 'store') await store(order.config, order.count)
  else await evict(order.config, order.unusedSince)
}

async function store(config: unknown, count: number): Promise<void> {
  const storage = await module.open(config, {})
  const stored: OrderedStore[] = []
  const keys = Array.from({ length: count }, (_, index) => `key ${index}`)
  const onStored = ({ reference, created }: OrderedStore): void => void stored.push({ reference, created })
  await Promise.all(
    keys.map((key) => {
      const { content, contentType } = soakContent(key)
      return storage.scope(SCOPE).store(key, content, contentType, { onStored })
    }),
  )
  await storage.close()
  console.log(JSON.stringify(stored))
}

async function evict(config: unknown, unusedSince: number): Promise<void> {
  isStopped = false
  const storage = await module.open(config, {})
  const scope = storage.scope(SCOPE)
  let hasBegun = false
  while (!isStopped) {
    for await (const { reference } of scope.list()) {
      if (!hasBegun) console.log('evicting')
      hasBegun = true
      await scope.delete(reference, { unusedSince })
    }
    await scope.gc()
  }
  await storage.close()
  console.log('stopped')
}
