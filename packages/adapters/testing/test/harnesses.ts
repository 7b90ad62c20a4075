import type { AdapterHarness } from '../src/index.ts'
import { tinyHarness } from './tiny-harness.ts'

/** The reference: an adapter on core alone, in a framework of a hundred lines. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = {
  'tiny framework': tinyHarness('tiny framework', import.meta.url),
}
