/** Generates sessions of an agent: results are offloaded, and then searched with anything that a model may write. */
import { ContextOffloader, type ContentBlock } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import fc from 'fast-check'
import { callsOf } from './calls.ts'
import { contents } from './content.ts'
import { LIMITS, offloadChecked, retrieveChecked, SECRET, StoredBytes } from './invariants.ts'

/** Placeholders in calls for references of the session. The last one stands for a reference of another tenant. */
export const PLACES = ['<0>', '<1>', '<2>', '<secret>'] as const

interface Session {
  readonly results: readonly (readonly ContentBlock[])[]
  readonly calls: readonly unknown[]
}

export const sessions: fc.Arbitrary<Session> = fc.record({
  results: fc.array(contents, { minLength: 1, maxLength: 2 }),
  calls: fc.array(callsOf(PLACES), { minLength: 1, maxLength: 6 }),
})

interface Tenants {
  readonly offloader: ContextOffloader
  /** The offloader of the attacker. */
  readonly tenant: ContextOffloader
  /** A reference of the victim. */
  readonly secret: string
}

/** Create an attacker, and a victim with a stored secret, in two scopes of one storage. */
export async function twoTenants(): Promise<Tenants> {
  const storage = new InMemoryStorage({ evictAfterTurns: null })
  const offloader = new ContextOffloader({ storage, ...LIMITS })
  const content = [{ type: 'text', text: `a line with ${SECRET}\n`.repeat(1_000) }] as const
  const [secret = ''] = await offloadChecked(offloader.forScope('victim'), 'call_1', content)
  return { offloader, tenant: offloader.forScope('attacker'), secret }
}

/** Replace placeholders by references. */
export function filled<Value>(value: Value, references: readonly string[], secret: string): Value {
  const fill = (one: unknown): unknown => {
    if (typeof one !== 'string') return Array.isArray(one) ? one.map(fill) : one
    return one.replace(/<(\d|secret)>/, (_, place: string) =>
      place === 'secret' ? secret : (references[Number(place) % references.length] ?? 'none'),
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one)])) as Value
}

export async function runSession({ results, calls }: Session): Promise<void> {
  const { tenant, secret } = await twoTenants()
  const stored = new StoredBytes(tenant.options.storage)
  const references: string[] = []
  for (const [index, content] of results.entries()) {
    const added = await offloadChecked(tenant, `call_${index}`, content)
    await stored.add(added, content)
    references.push(...added)
  }
  for (const call of calls) await retrieveChecked(tenant, filled(call, references, secret))
  await stored.assertKept()
}
