import { expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import { assertOffloader } from './assert-offloader.ts'

it('takes an offloader, and one of a scope', () => {
  const offloader = new ContextOffloader({ storage: tinyStorage() })
  for (const one of [offloader, offloader.forScope('a')])
    expect(() => assertOffloader(one, 'use(offloader)')).not.toThrow()
})

it.each([[undefined], [null], ['offloader'], [{}], [{ storage: tinyStorage() }], [tinyStorage()], [() => undefined]])(
  'refuses %o, and says where an offloader belongs',
  (value) => {
    expect(() => assertOffloader(value, 'use(offloader)')).toThrow(
      new TypeError(
        `offloader must be a ContextOffloader, got ${typeof value}: use(offloader). Make one: new ContextOffloader({ storage }).`,
      ),
    )
  },
)
