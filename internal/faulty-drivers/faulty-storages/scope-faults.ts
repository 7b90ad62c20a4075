import type { ManagedStorage, Storage, StoredInfo } from '@spillway/core'
import { overridden, unlessRefused, type Fault, type Override } from './fault.ts'

/** Create a storage that changes the segments of its scopes with `rename`. */
function renamed(rename: (segments: readonly string[]) => readonly string[]): (storage: ManagedStorage) => Storage {
  return (storage) => {
    const at = (segments: readonly string[]): Storage => {
      const own = rename(segments)
      const inner = own.length === 0 || segments.length === 0 ? storage : storage.scope(...own)
      return { ...overridden(inner, () => ({})), scope: (...more) => at(checked(storage, segments, more)) }
    }
    return at([])
  }
}

/** Validate segments like the storage itself. */
function checked(storage: ManagedStorage, segments: readonly string[], more: readonly string[]): readonly string[] {
  storage.scope(...more)
  return [...segments, ...more]
}

/** Create a storage that records its opened scopes, so that a fault can confuse them. */
function withScopes(
  override: (scopes: Map<string, Required<Storage>>, ...parameters: Parameters<Override>) => Partial<Storage>,
): (storage: ManagedStorage) => Storage {
  return (storage) => {
    const scopes = new Map<string, Required<Storage>>()
    return overridden(storage, (inner, segments) => {
      scopes.set(segments.join('/'), inner)
      return override(scopes, inner, segments)
    })
  }
}

const look = (inner: Required<Storage>, others: readonly (Required<Storage> | undefined)[]): Partial<Storage> => ({
  async retrieve(reference, options) {
    for (const other of others) {
      const found = await unlessRefused(async () => other?.retrieve(reference, options))
      if (found !== undefined) return found
    }
    return inner.retrieve(reference, options)
  },
})

export const scopeFaults: readonly Fault[] = [
  {
    name: 'reads entries of child scopes',
    caughtBy: 'scope/apart-by-depth',
    also: ['reference/forged'],
    storage: withScopes((scopes, inner, segments) => ({
      async retrieve(reference, options) {
        const own = segments.join('/')
        const below = [...scopes].filter(([name]) => own !== '' && name.startsWith(`${own}/`)).map(([, scope]) => scope)
        return look(inner, below).retrieve?.(reference, options) ?? inner.retrieve(reference, options)
      },
    })),
  },
  {
    name: 'reads all entries in the root scope',
    caughtBy: 'scope/apart-by-words',
    storage: withScopes((scopes, inner, segments) => ({
      async retrieve(reference, options) {
        const all = segments.length === 0 ? [...scopes.values()] : []
        return look(inner, all).retrieve?.(reference, options) ?? inner.retrieve(reference, options)
      },
    })),
  },
  {
    name: 'looks up missing entries in the parent scope',
    caughtBy: 'scope/apart-by-depth',
    storage: withScopes((scopes, inner, segments) =>
      segments.length < 2 ? {} : look(inner, [scopes.get(segments.slice(0, -1).join('/'))]),
    ),
  },
  {
    name: 'looks up missing entries in the root scope',
    caughtBy: 'reference/forged',
    storage: withScopes((scopes, inner, segments) => (segments.length === 0 ? {} : look(inner, [scopes.get('')]))),
  },
  {
    name: 'uses only the first segment of a scope',
    caughtBy: 'scope/apart-by-separators',
    also: ['clear/beyond-one-page', 'store/different-input-different-reference', 'reference/forged'],
    storage: renamed((segments) => segments.slice(0, 1)),
  },
  {
    name: 'ignores scopes',
    caughtBy: 'scope/awkward-segments',
    also: [
      'clear/beyond-one-page',
      'store/different-input-different-reference',
      'reference/forged',
      'scope/named-like-an-entry',
      'turns/never-stored-is-not-found',
      'durability/scopes',
      'durability/description',
      'locate/stays-inside',
    ],
    storage: renamed(() => []),
  },
  {
    name: 'lists a scope by the beginning of its name, so that foo has foobar',
    caughtBy: 'scope/awkward-segments',
    also: ['clear/beyond-one-page'],
    storage: withScopes((scopes, inner, segments) => ({
      async *list(options): AsyncGenerator<StoredInfo> {
        if (options?.below === false || segments.length === 0) return yield* inner.list(options)
        const own = segments.join('/')
        for (const [name, scope] of scopes) if (name.startsWith(own)) yield* scope.list({ ...options, below: false })
      },
    })),
  },
  {
    name: 'clears a scope by the beginning of its name, so that foo empties foobar',
    caughtBy: 'clear/beyond-one-page',
    storage: withScopes((scopes, inner, segments) => ({
      async clear(options) {
        const own = segments.join('/')
        let cleared = await inner.clear(options)
        for (const [name, scope] of scopes) if (own === 'foo' && name.startsWith(own)) cleared += await scope.clear()
        return cleared
      },
    })),
  },
  {
    name: 'ignores the case of scopes',
    caughtBy: 'scope/awkward-segments',
    also: ['clear/beyond-one-page', 'durability/scopes'],
    storage: renamed((segments) => segments.map((segment) => segment.toLowerCase())),
  },
  {
    name: 'trims the names of scopes',
    caughtBy: 'scope/apart-by-separators',
    storage: renamed((segments) => segments.map((segment) => segment.trim() || segment)),
  },
  {
    name: 'treats a slash in a segment as a separator',
    caughtBy: 'scope/awkward-segments',
    storage: renamed((segments) => {
      const parts = segments.flatMap((segment) => segment.split('/')).filter((part) => part !== '')
      return parts.length === 0 || parts.length > 16 ? segments : parts
    }),
  },
  {
    name: 'joins segments without a separator',
    caughtBy: 'scope/awkward-segments',
    also: ['clear/beyond-one-page', 'store/different-input-different-reference'],
    storage: renamed((segments) => [segments.join('').slice(0, 300)]),
  },
  {
    name: 'replaces all characters except letters and digits in names of scopes',
    caughtBy: 'scope/awkward-segments',
    storage: renamed((segments) => segments.map((segment) => segment.replaceAll(/[^a-zA-Z0-9]/g, '_'))),
  },
  {
    name: 'cuts the names of scopes',
    caughtBy: 'scope/apart-by-length',
    storage: renamed((segments) => segments.map((segment) => segment.slice(0, 255))),
  },
  {
    name: 'replaces lone surrogates in names of scopes',
    caughtBy: 'scope/awkward-segments',
    storage: renamed((segments) => segments.map((segment) => segment.toWellFormed())),
  },
  {
    name: 'refuses a scope named ..',
    caughtBy: 'scope/awkward-segments',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        scope(...segments) {
          if (segments[0] === '..' && segments[1] === 'below') throw new Error('a scope must not be called ..')
          return inner.scope(...segments)
        },
      })),
  },
  {
    name: 'drops empty segments',
    caughtBy: 'scope/bad-segments-refused',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        scope: (...segments) => inner.scope(...segments.filter((segment) => segment !== '')),
      })),
  },
  {
    name: 'lists only the scope itself',
    caughtBy: 'scope/awkward-segments',
    also: ['clear/beyond-one-page'],
    storage: (storage) =>
      overridden(storage, (inner) => ({ list: (options) => inner.list({ ...options, below: false }) })),
  },
  {
    name: 'always lists child scopes',
    caughtBy: 'scope/apart-by-words',
    storage: (storage) =>
      overridden(storage, (inner) => ({ list: (options) => inner.list({ ...options, below: true }) })),
  },
  {
    name: 'does not clear child scopes',
    caughtBy: 'scope/apart-by-words',
    also: ['clear/beyond-one-page'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async clear(options) {
          let cleared = 0
          for await (const { reference } of inner.list({ ...options, below: false })) {
            await inner.delete(reference)
            cleared += 1
          }
          return cleared
        },
      })),
  },
  {
    name: 'deletes a reference in any scope',
    caughtBy: 'scope/apart-by-separators',
    also: ['concurrency/store-while-deleting'],
    storage: withScopes((scopes, inner) => ({
      async delete(reference, options) {
        await inner.delete(reference, options)
        if (options === undefined) for (const scope of scopes.values()) await scope.delete(reference)
      },
    })),
  },
  {
    name: 'fails in deep scopes',
    caughtBy: 'scope/apart-by-depth',
    storage: (storage) =>
      overridden(storage, (inner, segments) => ({
        async store(key, content, type, options) {
          if (segments.join('/').length > 4_000) throw new Error('the path is too long')
          return inner.store(key, content, type, options)
        },
      })),
  },
  {
    name: 'returns another scope for each call with the same segments',
    caughtBy: 'scope/awkward-segments',
    also: [
      'clear/beyond-one-page',
      'scope/bad-segments-refused',
      'quota/for-each-scope',
      'durability/scopes',
      'lifecycle/close',
    ],
    storage: (storage) => {
      let views = 0
      return overridden(storage, (inner) => ({
        scope: (...segments) => inner.scope(...segments, `view ${(views += 1)}`),
      }))
    },
  },
]
