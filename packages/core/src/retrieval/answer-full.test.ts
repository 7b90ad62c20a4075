import { describe, expect, it } from 'vitest'
import { ask, fail, toolOf, users } from '../../test/retrieval-fixture.ts'

describe('a bare reference', () => {
  it('returns text and JSON whole where they fit', async () => {
    const tool = toolOf({
      text: { content: 'one\r\ntwo\n' },
      json: { content: '{\n  "a": [1]\n}', contentType: 'application/json; charset=utf-8' },
      broken: { content: '{"a":', contentType: 'application/json' },
    })
    expect((await tool.execute({ reference: 'text' })).content).toEqual([{ type: 'text', text: 'one\r\ntwo\n' }])
    expect((await tool.execute({ reference: 'json' })).content).toEqual([{ type: 'json', value: { a: [1] } }])
    expect((await tool.execute({ reference: 'broken' })).content).toEqual([{ type: 'text', text: '{"a":' }])
  })

  it('is answered without escape sequences, with other control characters as symbols, and with its line ends', async () => {
    const tool = toolOf({ log: { content: '\u001b[31mfailed\u001b[0m\r\n50%\r100%\n' } })
    expect(await ask(tool, { reference: 'log' })).toBe('failed\r\n50%␍100%\n')
  })

  it('is answered with JSON as text if a value would have other digits', async () => {
    const content = '{"id":1915883588174806058,"price":10.00}'
    const tool = toolOf({ order: { content, contentType: 'application/json' } })
    expect((await tool.execute({ reference: 'order' })).content).toEqual([{ type: 'text', text: content }])
  })

  it('returns everything where there is no limit', async () => {
    const tool = toolOf({ users: { content: users.repeat(1_000) } }, { maxRetrievalTokens: Infinity })
    expect(await ask(tool, { reference: 'users' })).toBe(users.repeat(1_000))
  })

  it('returns media as bytes, up to their limit', async () => {
    const data = new Uint8Array([1, 2, 3, 4])
    const types = { image: 'image/png', audio: 'audio/mpeg', video: 'video/mp4', document: 'application/pdf' }
    const tool = toolOf(
      Object.fromEntries(Object.entries(types).map(([type, contentType]) => [type, { content: data, contentType }])),
    )
    for (const [type, mediaType] of Object.entries(types)) {
      expect(await tool.execute({ reference: type })).toEqual({ isError: false, content: [{ type, mediaType, data }] })
    }
    const strict = toolOf({ image: { content: data, contentType: 'image/png' } }, { maxMediaBytes: 3 })
    expect(await fail(strict, { reference: 'image' })).toMatchObject({
      code: 'too-large',
      text: expect.stringContaining('4 bytes') as string,
    })
  })
})
