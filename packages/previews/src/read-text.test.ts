import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { corePreviewers } from './core-previewers.ts'
import { definePreviewer } from './define-previewer.ts'
import { importPeer, MissingPeerError, type PreviewFallback } from './preview-fallback.ts'
import type { Previewer, PreviewOptions, TextPreviewer, TextSubject } from './previewer.ts'
import { ArrivingText } from './arriving-text.ts'
import { readText, type TextPreview } from './read-text.ts'

const text = Array.from({ length: 3_000 }, (_, line) => `line ${line + 1}`).join('\n')
const options: PreviewOptions = { budgetTokens: 100, countTokens: (value) => Math.ceil(value.length / 4) }

const shout = definePreviewer({
  name: 'shout',
  recognize: ({ start }) => (start.startsWith('line') ? 0.9 : 0),
  preview: (value) => `SHOUT ${value.length}`,
})

interface Read {
  readonly preview: string
  readonly lines: number
  readonly fallbacks: readonly PreviewFallback[]
}

/** Read the text at once and in chunks. Both previews must be the same. */
async function read(previewers: readonly Previewer[], value = text, given: PreviewOptions = options): Promise<Read> {
  const fallbacks: PreviewFallback[] = []
  const previewing = {
    call: { toolName: 'tool', input: undefined, intent: { paths: [], words: [] } },
    contentType: 'text/plain',
    previewers,
    onFallback: (fallback: PreviewFallback) => void fallbacks.push(fallback),
  }
  const write = async ({ lines, write }: TextPreview): Promise<Read> => ({
    preview: await write(given),
    lines,
    fallbacks: fallbacks.splice(0),
  })
  const whole = await write(await readText(value, previewing))
  const arriving = new ArrivingText(previewing)
  for (let at = 0; at < value.length; at += 997) arriving.push(value.slice(at, at + 997))
  const pieces = await write(await arriving.finish())
  expect(pieces).toEqual(whole)
  return whole
}

describe('readText and ArrivingText', () => {
  it('use the most confident previewer, and the first of several equally confident previewers', async () => {
    const surer = definePreviewer({ name: 'surer', recognize: () => 1, preview: () => 'SURER' })
    const equal = definePreviewer({ name: 'equal', recognize: () => 0.9, preview: () => 'EQUAL' })
    expect(await read([shout])).toEqual({ preview: `SHOUT ${text.length}`, lines: 3_000, fallbacks: [] })
    expect((await read([shout, surer])).preview).toBe('SURER')
    expect((await read([shout, equal])).preview).toBe(`SHOUT ${text.length}`)
    expect((await read([shout], 'other\n'.repeat(4_000))).preview).toContain('other')
  })

  it('do not ask built-in previewers that cannot be more confident than another, unless it shows nothing', async () => {
    const asked = vi.fn<(subject: TextSubject) => number>()
    const builtIn = corePreviewers.find(({ name }) => name === 'markdown') as TextPreviewer
    vi.spyOn(builtIn, 'recognize').mockImplementation((subject) => (asked(subject), 0))
    onTestFinished(() => void vi.restoreAllMocks())
    const previewing = { call: { toolName: 'tool', input: undefined, intent: { paths: [], words: [] } } }
    const rest = { contentType: 'text/plain', onFallback: () => undefined }
    const shown = await readText(text, { ...previewing, ...rest, previewers: [shout, builtIn] })
    expect(await shown.write(options)).toBe(`SHOUT ${text.length}`)
    expect(asked).not.toHaveBeenCalled()
    const failing = { ...shout, read: () => expect.fail('It cannot read the text') }
    const other = await readText(text, { ...previewing, ...rest, previewers: [failing, builtIn] })
    expect(other.kind).toBe('text')
    expect(asked).toHaveBeenCalledOnce()
  })

  it('preview text by lines if no previewer recognizes it', async () => {
    const { preview, lines } = await read([])
    expect(preview).toMatch(/^\[3,000 lines\]\nline 1\n/)
    expect(lines).toBe(3_000)
  })

  it('use the number of lines that a reader counted', async () => {
    const counting: TextPreviewer = { ...shout, read: (subject) => ({ ...shout.read(subject), lines: 7 }) }
    expect((await read([counting])).lines).toBe(7)
  })

  it.each<[string, Parameters<typeof definePreviewer>[0]['preview'], PreviewFallback['reason'] | undefined]>([
    ['throws', () => expect.fail('broken'), 'failed'],
    ['rejects', async () => Promise.reject(new Error('broken')), 'failed'],
    ['writes more than the budget', (value) => value, 'over-budget'],
    ['writes no string', () => 5 as never as string, 'failed'],
    ['leaves the text to others', () => undefined, undefined],
    [
      'misses its peer',
      () => {
        throw new MissingPeerError('parser')
      },
      'peer-missing',
    ],
  ])('preview by lines if a previewer %s, and report the reason', async (_, preview, reason) => {
    const { preview: shown, fallbacks } = await read([definePreviewer({ name: 'bad', recognize: () => 1, preview })])
    expect(shown).toMatch(/^\[3,000 lines\]\nline 1\n/)
    expect(fallbacks.map(({ previewer, reason }) => [previewer, reason])).toEqual(
      reason === undefined ? [] : [['bad', reason]],
    )
  })

  it('continue without a previewer that throws when it recognizes or reads a text', async () => {
    const broken: Previewer[] = [
      { name: 'a', previews: 'text', recognize: () => expect.fail('broken'), read: () => expect.fail('unreachable') },
      {
        name: 'b',
        previews: 'text',
        recognize: () => 1,
        read: () => ({ push: () => expect.fail('broken'), finish: () => undefined }),
      },
    ]
    broken.push({ ...shout, name: 'c', recognize: () => true as never })
    const { preview, fallbacks } = await read(broken)
    expect(preview).toMatch(/^\[3,000 lines\]/)
    expect(fallbacks.map(({ previewer }) => previewer)).toEqual(['a', 'c', 'b'])
  })

  it('use the next previewer if a peer dependency of the most confident previewer is missing', async () => {
    const missing: Previewer = {
      name: 'parsed',
      previews: 'text',
      recognize: () => 1,
      read: () => ({ push: () => {}, finish: async () => Promise.reject(new MissingPeerError('parser')) }),
    }
    const { preview, fallbacks } = await read([missing, shout])
    expect(preview).toBe(`SHOUT ${text.length}`)
    expect(fallbacks.map(({ previewer, reason }) => [previewer, reason])).toEqual([['parsed', 'peer-missing']])
  })

  it('use the next previewer if the text is too long for a previewer', async () => {
    expect((await read([{ ...shout, maxLength: 1_000 }])).preview).toMatch(/^\[3,000 lines\]/)
    expect((await read([{ ...shout, maxLength: text.length }])).preview).toBe(`SHOUT ${text.length}`)
  })

  it('never write a lone surrogate', async () => {
    const half = definePreviewer({ name: 'half', recognize: () => 1, preview: () => 'x\ud83d' })
    expect((await read([half])).preview).toBe('x\ufffd')
  })

  it('write nothing for a budget of 0', async () => {
    expect((await read([shout], text, { ...options, budgetTokens: 0 })).preview).toBe('')
  })
})

describe('importPeer', () => {
  it('names the missing package, and how to install it', async () => {
    const missing = async (): Promise<unknown> =>
      Promise.reject(Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' }))
    await expect(importPeer('parser', missing)).rejects.toThrow(/npm install parser/)
    await expect(importPeer('parser', async () => Promise.reject(new Error('broken package')))).rejects.toThrow(
      'broken package',
    )
  })
})
