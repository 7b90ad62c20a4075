/** How the cases of histories run where the messages of the state are replaced. */
import type { AdapterHarness } from '@spillway-internal/adapter-suite'
import { agentOf, harness, invoke, stream } from '../harness.ts'
import { STATE_GAPS, STATE_STREAM_GAPS } from './gaps.ts'

/** One way of using the adapter, by its name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('historyMiddleware in the state with invoke', invoke, agentOf({ replaceIn: 'state' }), STATE_GAPS),
    harness('historyMiddleware in the state with stream', stream, agentOf({ replaceIn: 'state' }), STATE_STREAM_GAPS),
  ].map((one) => [one.name, { ...one, moduleUrl: import.meta.url }]),
)
