import { createStorage, type ManagedStorage } from '@spillway/core/driver'
import { runConformance, wrappedHarness, type ConformanceHarness } from '@spillway/core/conformance'
import { stateOf } from '../../packages/core/src/storage/managed-storage.ts'
import { tinyHarness } from '../../packages/core/test/tiny-storage.ts'
import { fileHarness } from '../../packages/storage/file/test/support/file-harness.ts'
import { memoryHarness } from '../../packages/storage/memory/test/memory-harness.ts'
import { operators, triggers, type Complete, type Operator, type Trigger } from './operators.ts'

/** Correct drivers: a driver with all methods and powers, the smallest real driver, and a driver that uses files. */
const HARNESSES: Readonly<Record<string, ConformanceHarness>> = {
  tiny: tinyHarness(),
  memory: memoryHarness,
  file: fileHarness,
}

/** A driver with one fault. */
export interface FaultyDriver {
  /** Names of the correct driver, the step, the operator, and the trigger. */
  readonly id: string
  readonly operator: Operator
  readonly trigger: Trigger
  readonly harness: ConformanceHarness
}

/** Apply every operator `each` times to each correct driver. The seed determines the triggers. */
export function generateFaults(random: () => number, each: number): FaultyDriver[] {
  return Object.entries(HARNESSES).flatMap(([base, harness]) =>
    operators.flatMap((operator) => {
      const others = triggers
        .slice(1)
        .filter(({ steps }) => steps?.includes(operator.step) ?? true)
        .toSorted(() => random() - 0.5)
      return [...triggers.slice(0, 1), ...others].slice(0, each).map((trigger) => ({
        id: `${base}: ${operator.kind} in ${operator.step}: ${operator.what}, ${trigger.name}`,
        operator,
        trigger,
        harness: wrappedHarness(
          { ...harness, timeoutMs: 4_000 },
          { name: 'faulty', wrap: (storage) => withFault(storage, operator, trigger) },
        ),
      }))
    }),
  )
}

/** Run the suite until a case fails. Returns the id of the case and the reason; `undefined` if all cases pass. */
export async function firstFailure({ harness }: FaultyDriver, seed: number): Promise<string | undefined> {
  const stop = new AbortController()
  let caught: string | undefined
  await runConformance(harness, {
    seed,
    signal: stop.signal,
    onResult({ id, status, detail }) {
      if (status !== 'failed') return
      caught ??= `${id}: ${detail ?? ''}`
      stop.abort()
    },
  })
  return caught
}

function withFault(storage: ManagedStorage, { step, apply }: Operator, trigger: Trigger): ManagedStorage {
  const parts = stateOf(storage)
  if (parts === undefined) throw new TypeError('The harness must create storages of createStorage.')
  const { driver, options } = parts
  let count = 0
  const isDue = (id: string, size = 0): boolean => trigger.isDue({ count: (count += 1), id, size })
  const complete = driver as Complete
  const broken = driver[step] === undefined ? {} : apply(complete, isDue)
  // A method that would bypass the broken step is removed. Core then uses the step instead.
  const around = step === 'read' ? { open: undefined } : step === 'remove' ? { removeAll: undefined } : {}
  const replaced: Readonly<Record<PropertyKey, unknown>> = { ...around, ...broken }
  const faulty = new Proxy(driver, {
    // Core must complete the driver again, so a removed step must not be callable.
    has: (target, name) => name !== 'layers' && Reflect.has(target, name),
    get(target, name) {
      if (Object.hasOwn(replaced, name)) return replaced[name]
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return createStorage(faulty, options)
}
