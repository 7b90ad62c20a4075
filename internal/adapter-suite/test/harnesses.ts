import type { AdapterHarness } from '../src/index.ts'
import { tinyHarness } from './tiny-harness.ts'

/** The reference: an adapter that uses only core, in a framework that is just large enough. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = {
  'tiny framework': tinyHarness('tiny framework', import.meta.url),
}
