import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, checkBytes, checkEqual, rejection } from '../conformance-failure.ts'
import { bytes, collect } from '../sample.ts'

/** What all other cases rely on. */
export const harnessCases: readonly ConformanceCase[] = [
  {
    id: 'harness/isolated',
    title: 'The harness creates storages that share nothing',
    level: 'two-method',
    async run({ storage, another }) {
      const other = await another()
      const reference = await attempt('storing', () => storage.store('call_1_0', bytes('one')))
      await rejection('retrieving it from another storage', () => other.retrieve(reference))
      const found = await attempt('retrieving it', () => storage.retrieve(reference))
      checkBytes(found.content, bytes('one'), 'content')
    },
  },
  {
    id: 'harness/fresh',
    title: 'The harness creates storages that are empty',
    requires: ['list'],
    async run({ storage, another }) {
      checkEqual(await collect(storage.list()), [], 'entries of a fresh storage')
      await storage.store('call_1_0', bytes('content'))
      checkEqual(await collect((await another()).list()), [], 'entries of another storage')
    },
  },
]
