import { codePoint } from '@spillway-internal/test-run/code-point'
import type { EntryInfo } from '@spillway/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decodeSidecar,
  encodeSidecar,
  entryPaths,
  isExtension,
  parseRemovedName,
  parseSidecarFolderItem,
  pendingPair,
  prefixSegments,
  removedPair,
  type Sidecar,
} from './paths.ts'

const name = fc.stringMatching(/^[a-z0-9_-]{1,64}$/)

const id = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'))

const last = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

describe('entryPaths', () => {
  test('stay below the root, and differ for different entries', () => {
    fc.assert(
      fc.property(id, id, (one, other) => {
        const all = [one, other].map((each) => {
          const { content, sidecar, removal, tombstone } = entryPaths('/root', each)
          return [content('.txt'), sidecar, removal, tombstone]
        })
        for (const path of all.flat()) expect(path).toMatch(/^\/root\/(?:[a-z0-9_.-]+\/)*[a-z0-9_-][a-z0-9_.-]*$/)
        expect(new Set(all.flat()).size).toBe(one === other ? 4 : 8)
      }),
    )
  })

  test.each([
    '',
    '/',
    '..',
    'a/../b',
    'a//b',
    '/a',
    'a/',
    'A',
    'a.b',
    'a\\b',
    'a\0',
    `${'x'.repeat(65)}`,
    '.metadata/a',
  ])('refuse %j', (id) => expect(() => entryPaths('/root', id)).toThrow(TypeError))
})

describe('file names in the sidecar folder', () => {
  test('decode to the original entry', () => {
    fc.assert(
      fc.property(id, (id) => {
        const paths = entryPaths('/root', id)
        const { reference } = paths
        expect(parseSidecarFolderItem(last(paths.sidecar))).toEqual({ kind: 'sidecar', reference })
        expect(parseSidecarFolderItem(last(paths.removal))).toEqual({ kind: 'removal', reference })
        const pending = pendingPair(paths)
        const content = parseSidecarFolderItem(last(pending.content))
        expect(content).toMatchObject({ kind: 'pending-content', reference })
        expect(pendingPair(paths, content?.kind === 'pending-content' ? content.nonce : '')).toEqual(pending)
        const removed = removedPair(paths)
        const { nonce = '' } = parseRemovedName(last(removed.sidecar)) ?? {}
        expect(removedPair(paths, nonce)).toEqual(removed)
      }),
    )
  })

  test.each([
    'readme.md',
    '.metadata.json',
    'A.metadata.json',
    'a.content',
    'a.123.content',
    '.removal',
    'a.b.removal',
  ])('are ignored if another program created the file: %s', (name) => {
    expect(parseSidecarFolderItem(name)).toBeUndefined()
    expect(parseRemovedName(name)).toBeUndefined()
  })
})

test('prefixes of ids end with a slash', () => {
  expect(prefixSegments('')).toEqual([])
  expect(prefixSegments('a/b-c/')).toEqual(['a', 'b-c'])
  for (const wrong of ['a', '/', '../', 'a//', '.metadata/', '/a/'])
    expect(() => prefixSegments(wrong)).toThrow(TypeError)
})

test('extensions are a dot and a few letters', () => {
  for (const extension of ['.txt', '.7z']) expect(isExtension(extension)).toBe(true)
  for (const wrong of ['txt', '.', '..', '.a/b', '.TXT', '.a.b', '.waytoolong', '', 7, null, undefined])
    expect(isExtension(wrong)).toBe(false)
})

const info: fc.Arbitrary<EntryInfo> = fc.record(
  {
    key: fc.string({ unit: codePoint }),
    contentType: fc.string(),
    size: fc.maxSafeNat(),
    storedAt: fc.maxSafeNat(),
    lastUsedAt: fc.maxSafeNat(),
    metadata: fc.dictionary(fc.string(), fc.string()),
    lineIndex: fc.base64String(),
  },
  { requiredKeys: ['key', 'contentType', 'size', 'storedAt', 'lastUsedAt', 'metadata'] },
)

test('decoding a sidecar reverses encoding, and takes the last use from the time of the file', () => {
  fc.assert(
    fc.property(info, (info) => {
      const sidecar: Sidecar = { info, extension: '.txt' }
      const decoded = decodeSidecar(encodeSidecar(sidecar), info.lastUsedAt)
      expect(JSON.stringify(decoded)).toBe(JSON.stringify(JSON.parse(JSON.stringify(sidecar))))
    }),
  )
})

test('a sidecar may contain the time of the last use', () => {
  fc.assert(
    fc.property(info, fc.nat(), (info, modifiedAt) => {
      const decoded = decodeSidecar(encodeSidecar({ info, extension: '.txt' }, true), modifiedAt)
      expect(decoded).toMatchObject({ holdsLastUse: true, info: { lastUsedAt: info.lastUsedAt } })
    }),
  )
})

test('decoding a sidecar never throws, and rejects truncated bytes', () => {
  const whole = encodeSidecar({
    info: { key: 'k', contentType: 'text/plain', size: 1, storedAt: 2, lastUsedAt: 3, metadata: { tool: 't' } },
    extension: '.txt',
  })
  for (let length = 0; length < whole.length - 1; length += 1)
    expect(decodeSidecar(whole.subarray(0, length), 1)).toBeUndefined()
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((json) => new TextEncoder().encode(json)),
      ),
      (bytes) => {
        expect(decodeSidecar(bytes, 1)).toBeUndefined()
      },
    ),
  )
})
