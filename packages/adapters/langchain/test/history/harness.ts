/** Runs the cases of histories with replaced messages of the state. */
import type { AdapterHarness } from '@spillway-internal/adapter-suite'
import { agentOf, harness, invoke, stream } from '../harness.ts'
import { STATE_GAPS, STATE_STREAM_GAPS } from './gaps.ts'

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('historyMiddleware in the state with invoke', invoke, agentOf({ replaceIn: 'state' }), STATE_GAPS),
    harness('historyMiddleware in the state with stream', stream, agentOf({ replaceIn: 'state' }), STATE_STREAM_GAPS),
  ].map((one) => [one.name, { ...one, moduleUrl: import.meta.url }]),
)
