import { definePreviewer } from '@spillway/previews'
import type { ContentBlock } from '@spillway/text/internal'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { quarter, log, textBlock, setUp } from '../../test/offloader-bench.ts'
import { StorageError } from '../storage/storage-error.ts'

describe('an offload that fails', () => {
  test('leaves the original in the context, emits an event, and leaves nothing new in storage', async () => {
    const { offload, events, entries, failWrites } = setUp()
    const content = [textBlock(log(3_000)), textBlock(`a ${log(3_000)}`), textBlock(`b ${log(3_000)}`)]
    failWrites(3)
    const outcome = await offload(content)
    expect(outcome).toMatchObject({ status: 'inline', reason: 'failed' })
    expect(outcome.content).toBe(content)
    expect(StorageError.isInstance(outcome.status === 'inline' && outcome.error)).toBe(true)
    expect(events).toMatchObject([{ type: 'offload-failed', toolCallId: 'call_1' }])
    expect(entries.size).toBe(0)
  })

  test('emits one event at the start of an outage, one per minute, and one at the end', async () => {
    const { offload, events, failWrites, offloader } = setUp()
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => void vi.restoreAllMocks())
    for (let second = 0; second < 3_600; second += 10) {
      now = second * 1_000
      failWrites(1)
      await offload([textBlock(log(600))])
    }
    const failed = events.filter((event) => event.type === 'offload-failed')
    expect(failed).toHaveLength(60)
    expect(failed.map(({ failures }) => failures)).toEqual([1, ...Array.from({ length: 59 }, () => 6)])
    await offload([textBlock(log(600))])
    await offload([textBlock(log(600))])
    const [recovered, ...others] = events.filter(({ type }) => type === 'offload-recovered')
    expect(others).toEqual([])
    expect(recovered).toMatchObject({ failures: 360, tokens: { original: 360 * failed[0]!.tokens.original } })
    expect(offloader.meter()).toMatchObject({ failed: 360, offloaded: 2 })
  })

  test('emits at most two events per minute if the storage fails every other time', async () => {
    const { offload, events, failWrites } = setUp()
    for (let call = 0; call < 20; call++) {
      if (call % 2 === 0) failWrites(1)
      await offload([textBlock(`${call} ${log(600)}`)])
    }
    const types = events.map(({ type }) => type).filter((type) => type !== 'offload')
    expect(types).toEqual(['offload-failed', 'offload-recovered'])
  })

  describe('with maxInlineTokens', () => {
    test('leaves a result within maxInlineTokens unchanged', async () => {
      const { offload, failWrites } = setUp({ maxInlineTokens: 10_000 })
      const content = [textBlock(log(600))]
      failWrites(1)
      expect(await offload(content)).toMatchObject({ status: 'inline', reason: 'failed', content })
    })

    test.each([
      ['text', textBlock(`${log(3_000)}\nERROR the last line`)],
      ['JSON', { type: 'json', value: Array.from({ length: 5_000 }, (_, id) => ({ id, name: `name ${id}` })) }],
      ['one line', textBlock('word '.repeat(50_000))],
    ] satisfies [string, ContentBlock][])(
      'cuts %s, and says at the end what is missing and why',
      async (_name, block) => {
        const { offload, failWrites, entries } = setUp({ maxInlineTokens: 3_000 })
        const small = textBlock('a small block beside it')
        failWrites(1)
        const outcome = await offload([block, small])
        if (outcome.status !== 'cut') throw new Error('expected a cut result')
        const [cut, kept] = outcome.content
        const text = cut?.type === 'text' ? cut.text : ''
        expect(kept).toBe(small)
        expect(StorageError.isInstance(outcome.error)).toBe(true)
        expect(quarter(text) + quarter('a small block beside it')).toBeLessThanOrEqual(3_000)
        expect(quarter(text)).toBeGreaterThan(300)
        expect(outcome.tokens.replacement).toBe(quarter(text) + quarter('a small block beside it'))
        const [, missing = '', original = ''] =
          /\n\[Cut here: ~([\d,]+) of ~([\d,]+) tokens are missing, because the result could not be stored \(unavailable\)\. They cannot be retrieved\. .*\]$/.exec(
            text,
          ) ?? []
        const number = (shown: string): number => Number(shown.replaceAll(',', ''))
        expect(number(original)).toBe(outcome.tokens.original)
        expect(number(original) - number(missing)).toBeLessThanOrEqual(3_000)
        expect(text).not.toContain('line_range')
        expect(entries.size).toBe(0)
      },
    )

    test('leaves the result of an aborted call unchanged', async () => {
      const { offloader, failWrites } = setUp({ maxInlineTokens: 3_000 })
      const content = [textBlock(log(3_000))]
      failWrites(1)
      const signal = AbortSignal.abort(new Error('enough'))
      const outcome = await offloader.offload({ toolName: 'tool', toolCallId: 'call_1', content, signal })
      expect(outcome).toMatchObject({ status: 'inline', reason: 'failed', content })
    })
  })

  test('keeps the entries of an earlier offload', async () => {
    const { offload, entries, failWrites } = setUp()
    const first = textBlock(log(3_000))
    await offload([first])
    expect(entries.size).toBe(1)
    failWrites(1)
    expect(await offload([first, textBlock(`b ${log(3_000)}`)])).toMatchObject({ reason: 'failed' })
    expect(entries.size).toBe(1)
  })

  test('leaves the original unchanged if the signal was aborted', async () => {
    const { offloader } = setUp()
    const content = [textBlock(log(5_000))]
    const outcome = await offloader.offload({ toolName: 't', toolCallId: 'c', content, signal: AbortSignal.abort() })
    expect(outcome).toMatchObject({ status: 'inline', reason: 'failed', error: { code: 'aborted' } })
  })

  test.each([
    ['throws', () => expect.fail('broken')],
    ['is over the budget', (text: string) => text],
  ])('emits one warning if a previewer of the user %s, and there is no listener', async (_what, preview) => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => emitWarning.mockRestore())
    const own = definePreviewer({ name: 'own', recognize: () => 1, preview })
    const { offload } = setUp({ previewers: [own], onEvent: undefined })
    await offload([textBlock(log(5_000))])
    await offload([textBlock(log(6_000))])
    expect(emitWarning.mock.calls.map(([message]) => message)).toEqual(['The previewer own failed.'])
  })

  test('is only a warning if the listener of events failed', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => emitWarning.mockRestore())
    const { offload } = setUp({
      onEvent: () => {
        throw new Error('observer')
      },
    })
    expect(await offload([textBlock(log(5_000))])).toMatchObject({ status: 'offloaded' })
    expect(emitWarning).toHaveBeenCalledWith(expect.stringContaining('onEvent threw'), expect.anything())
  })

  test.each([
    [{ toolName: 1 }, 'toolName'],
    [{ isCanceled: true }, 'Unknown option "isCanceled". Known: toolName, toolCallId, input'],
    [{ toolCallId: undefined }, 'toolCallId'],
    [{ content: 'text' }, "content must be an array of blocks such as { type: 'text', text }"],
    [{ content: [{ type: 'text' }] }, 'content[0].text'],
    [{ content: [{ type: 'image', mediaType: 'image/png' }] }, 'content[0]'],
    [{ content: [{ type: 'thinking' }] }, 'content[0].type'],
  ])('refuses the request %j and names the fault', async (wrong, name) => {
    const { offloader } = setUp()
    const request = { toolName: 't', toolCallId: 'c', content: [], ...wrong } as never
    await expect(offloader.offload(request)).rejects.toThrow(TypeError)
    await expect(offloader.offload(request)).rejects.toThrow(name)
  })
})
