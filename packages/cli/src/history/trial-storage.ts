import { createStorage, scopeOf, type Storage } from '@spillway/core'

/**
 * Make a storage that gives the references which the real one would give, and keeps nothing: for saying what would come
 * out. What is in the real one can be read.
 */
export function trialStorage(real: Storage, scope: readonly string[] | undefined): Storage {
  const unkept = createStorage({
    async write(_id, chunks) {
      for await (const _chunk of chunks);
      return true
    },
    read: async () => undefined,
    remove: async () => true,
    list: async function* () {},
  })
  const { stat } = real
  return {
    store: (...input) => (scope === undefined ? unkept : scopeOf(unkept, scope)).store(...input),
    retrieve: (reference, options) => real.retrieve(reference, options),
    ...(stat === undefined ? {} : { stat: stat.bind(real) }),
    delete: async () => {},
  }
}
