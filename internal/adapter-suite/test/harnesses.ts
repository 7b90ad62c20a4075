import type { AdapterHarness } from '../src/index.ts'
import { tinyHarness } from './tiny-harness.ts'

/** The reference: an adapter on core alone, in a framework just large enough. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = {
  'tiny framework': tinyHarness('tiny framework', import.meta.url),
}
