import assert from 'node:assert/strict'
import { StorageError, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { AdapterCase } from '../adapter-case.ts'
import { behaving, calling, returning } from '../support/case-tools.ts'
import { overriddenStorage } from '../support/overridden-storage.ts'
import { retrieving } from '../support/retrieval-answers.ts'
import { assertSamePrompts, runOffloaded, runPair } from '../support/run-pair.ts'
import { HUGE, LARGE_BYTES, LOG, media, MEDIA_LIMIT, text } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, referenceIn, textOf } from '../support/seen-results.ts'

const unavailable = (): StorageError => new StorageError('unavailable', 'The disk did not answer. Try again.')

/** Values, other than storage errors, that a failing storage may throw. */
const GARBAGE: readonly unknown[] = ['garbage', undefined, null, 42, {}, Object.create(null), new Error('')]

const READ = { tools: [returning('read_log', text(LOG))], model: scripted(calling('read_log')) }

const failing = (fail: () => Promise<never>): Storage =>
  overriddenStorage(new InMemoryStorage(), () => ({ store: fail, storeStream: fail }))

const reject = (reason: unknown) => (): Promise<never> =>
  new Promise((_resolve, rejectWith) => {
    rejectWith(reason)
  })

/** Behavior if the storage fails. */
export const outageCases: readonly AdapterCase[] = [
  {
    id: 'outages/store',
    title: 'leaves results unchanged while the storage fails, and reports the failure as an event',
    async run(harness) {
      const pair = await runPair(harness, READ, { storage: failing(reject(unavailable())) })
      assertSamePrompts(pair)
      assert.deepEqual(pair.offloaded.outputs, pair.plain.outputs)
      assert.deepEqual(
        pair.bench.events.map(({ type }) => type),
        ['offload-failed'],
      )
    },
  },
  {
    id: 'outages/store-of-an-error',
    title: 'leaves errors unchanged while the storage fails',
    async run(harness) {
      const tools = [behaving('read_log', { type: 'throws', thrown: new RangeError(HUGE) })]
      const storage = failing(reject(unavailable()))
      assertSamePrompts(await runPair(harness, { tools, model: scripted(calling('read_log')) }, { storage }))
    },
  },
  {
    id: 'outages/store-throws-garbage',
    title: 'leaves results unchanged for any value that a storage throws or returns',
    async run(harness) {
      const throwsAtOnce = (): Promise<never> => {
        throw unavailable()
      }
      const storage = overriddenStorage(new InMemoryStorage(), () => ({ store: async () => '' }))
      const { plain, offloaded } = await runPair(harness, READ, { storage })
      assertSamePrompts({ plain, offloaded })
      for (const fail of [throwsAtOnce, ...GARBAGE.map(reject)]) {
        const { result, bench } = await runOffloaded(harness, READ, { storage: failing(fail) })
        assertSamePrompts({ plain, offloaded: result })
        assert.deepEqual(
          bench.events.map(({ type }) => type),
          ['offload-failed'],
          'The events after store() threw',
        )
      }
    },
  },
  {
    id: 'outages/cut',
    title:
      'cuts a result to maxInlineTokens while nothing can be stored, and tells the model the size of the missing part',
    async run(harness) {
      const options = { storage: failing(reject(unavailable())), maxInlineTokens: 4_000 }
      const { result, bench } = await runOffloaded(harness, READ, options)
      const shown = textOf(lastResult(lastPrompt(result)))
      assert.match(shown, /\[Cut here: ~[\d,]+ of ~[\d,]+ tokens are missing, because .* \(unavailable\)/)
      assert.ok(bench.offloader.options.countTokens(shown) <= 4_000, 'The result is longer than its limit')
    },
  },
  {
    id: 'outages/second-block',
    title: 'leaves a result unchanged if only some of its blocks could be stored, and removes these blocks',
    async run(harness) {
      const storage = overriddenStorage(new InMemoryStorage(), (inner) => ({
        store: async (key, content, contentType, options) => {
          if (contentType === 'image/png') throw unavailable()
          return inner.store(key, content, contentType, options)
        },
      }))
      const tools = [returning('capture', text(LOG), media('image', LARGE_BYTES.image))]
      const script = { tools, model: scripted(calling('capture')) }
      const pair = await runPair(harness, script, { ...MEDIA_LIMIT, storage })
      assertSamePrompts(pair)
      assert.deepEqual(await pair.bench.references(), [], 'A part of the result was left in storage')
    },
  },
  {
    id: 'outages/passing',
    title: 'offloads again after a storage becomes available',
    async run(harness) {
      let stores = 0
      const storage = overriddenStorage(new InMemoryStorage(), (inner) => ({
        store: async (...parameters) => {
          if ((stores += 1) === 1) throw unavailable()
          return inner.store(...parameters)
        },
      }))
      const model = scripted(calling('read_log'), calling('read_log', {}, 'call_2'))
      const { result } = await runOffloaded(harness, { ...READ, model }, { storage })
      const first = result.prompts.slice(0, 2).at(-1)?.results.at(-1)
      assert.equal(first && textOf(first), LOG, 'The first result must be unchanged')
      referenceIn(lastResult(lastPrompt(result), 'call_2'))
    },
  },
  {
    id: 'outages/end-turn',
    title: 'continues if eviction at the end of a turn fails, and reports the failure as an event',
    async run(harness) {
      for (const thrown of [unavailable(), ...GARBAGE]) {
        const storage = overriddenStorage(new InMemoryStorage(), () => ({ endTurn: reject(thrown) }))
        const { result, bench } = await runOffloaded(harness, READ, { storage })
        referenceIn(lastResult(lastPrompt(result)))
        assert.ok(
          bench.events.some(({ type }) => type === 'eviction-failed'),
          'No event tells of it',
        )
      }
    },
  },
  {
    id: 'outages/retrieve',
    title: 'answers a failed retrieval with an error that names the next step, and continues the run',
    async run(harness) {
      for (const thrown of [unavailable(), ...GARBAGE]) {
        const fail = reject(thrown)
        const storage = overriddenStorage(new InMemoryStorage(), () => ({
          retrieve: fail,
          retrieveRange: fail,
          stat: fail,
        }))
        const model = scripted(calling('read_log'), (prompt) =>
          retrieving({ reference: referenceIn(lastResult(prompt)) }),
        )
        const { result, bench } = await runOffloaded(harness, { ...READ, model }, { storage })
        const seen = lastResult(lastPrompt(result), 'retrieval_1')
        assert.notEqual(seen.isError, false, 'The answer must be an error')
        assert.match(textOf(seen), /try the same call again/)
        const codes = bench.events.flatMap((event) => (event.type === 'retrieval' ? [event.code] : []))
        assert.deepEqual(codes, ['unavailable'], 'The event of the retrieval')
      }
    },
  },
]
