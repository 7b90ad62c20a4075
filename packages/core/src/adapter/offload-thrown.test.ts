import { expect, it } from 'vitest'
import { ContextOffloader } from '../offload/context-offloader.ts'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { offloadThrown } from './offload-thrown.ts'

class BuildError extends Error {
  override readonly name = 'BuildError'
  readonly code = 'EBUILD'
  readonly #secret = 1
  get secret(): number {
    return this.#secret
  }
}

const HUGE = Array.from({ length: 5_000 }, (_, line) => `error in line ${line}`).join('\n')
const throwing = (thrown: unknown): Promise<unknown> =>
  offloadThrown(new ContextOffloader({ storage: tinyStorage() }), { toolName: 'build', toolCallId: 'c', thrown })

it.each([new BuildError('small'), 'small', undefined, null, 0, Symbol('s'), 12n, { code: 1 }])(
  'returns what is small or has no words as it is: %s',
  async (thrown) => {
    expect(await throwing(thrown)).toBe(thrown)
  },
)

it('keeps the class and the fields of an error, and the error itself as cause', async () => {
  const thrown = new BuildError(HUGE)
  const replaced = await throwing(thrown)
  expect(replaced).toBeInstanceOf(BuildError)
  expect(replaced).toMatchObject({ name: 'BuildError', code: 'EBUILD', cause: thrown })
  expect((replaced as Error).message).toMatch(/^\[Offloaded: 1 block.*\n[^]*error in line 4999/)
  expect((replaced as Error).stack).not.toContain('error in line 2500')
})

it('turns a huge string into a string, and a huge object into an error', async () => {
  expect(await throwing(HUGE)).toMatch(/^\[Offloaded/)
  const thrown = { stdout: HUGE.split('\n') }
  expect(await throwing(thrown)).toMatchObject({ message: expect.stringMatching(/^\[Offloaded/), cause: thrown })
})
