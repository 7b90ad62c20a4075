import { storageConformance } from '../../src/conformance/node-test.ts'
import { tinyHarness } from '../tiny-storage.ts'

const knownGaps = { 'stat/describes': 'this storage describes nothing' }
const { create, ...harness } = tinyHarness({
  storage: (storage) =>
    Object.assign(storage, { stat: () => Promise.reject(new Error('this storage describes nothing')) }),
})

storageConformance(
  {
    ...harness,
    knownGaps: process.argv.includes('--closed')
      ? { ...knownGaps, 'content-type/exact': 'it does not say' }
      : knownGaps,
    create: async (settings) => {
      const { storage, powers = {} } = await create(settings)
      const { kill: _kill, ...others } = powers
      return { storage, powers: others }
    },
  },
  { filter: (id) => /^(?:content-type|stat|kill)\//.test(id) && !/use/.test(id) },
)
