import { buildPage } from '@spillway-internal/build/page'
import { isFull } from '@spillway-internal/test-run'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import axe from 'axe-core'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CHROMIUM, closeBrowser, openPage } from './browser.ts'
import { bytesOf, ListJournal, numbered, offload, serveInspector } from './served.ts'

const WHY_NOT = CHROMIUM === undefined ? ' [Chromium is not installed]' : ''

describe.skipIf(CHROMIUM === undefined)(`the page of the inspector${WHY_NOT}`, () => {
  beforeAll(() => buildPage('dist/page', join(import.meta.dirname, '..')))
  afterAll(closeBrowser)

  const lines = (page: Page): Promise<string[]> => page.locator('.line code').allInnerTexts()

  it('lists 100,000 entries, and renders only the visible rows', async () => {
    const count = 100_000
    const storage = new InMemoryStorage({ evictAfterTurns: null })
    for (let index = 0; index < count; index++) await storage.store(`entry ${index}`, bytesOf(`${index}`))
    const { page } = await openPage((await serveInspector({ storage })).url)
    await page.getByText('100,000 entries').waitFor()
    expect(await page.locator('[role=row]').count()).toBeLessThan(60)
    await page.getByRole('button', { name: 'Reference' }).click()
    await page.locator('.table .virtual').press('End')
    await page.getByRole('link', { name: /^entry_0_/ }).waitFor()
    await page.getByLabel('Filter').fill('entry 77777')
    await page.getByText('1 entry').waitFor()
    await page.getByRole('link', { name: /^entry_77777_/ }).waitFor()
  })

  it('shows new entries while it is open', async () => {
    const storage = new InMemoryStorage()
    const { page } = await openPage((await serveInspector({ storage })).url)
    await page.getByText('0 entries').waitFor()
    await storage.scope('session').store('later', bytesOf('text'))
    await page.getByRole('link', { name: /^later_/ }).waitFor()
    expect(await page.locator('.row .scope').last().innerText()).toBe('session')
  })

  it('shows the preview for chosen settings, and marks its hidden lines', async () => {
    const storage = new InMemoryStorage()
    const { reference, replacement } = await offload(storage, numbered(3_000))
    const { page } = await openPage(`${(await serveInspector({ storage })).url}#entry=${reference}`)
    await page.getByText('The model sees').waitFor()
    expect(await page.getByLabel('Replacement').innerText()).toContain(replacement.slice(replacement.indexOf('<<<')))
    expect(await page.locator('.line').first().getAttribute('class')).not.toContain('hidden-line')
    await page.evaluate(() => void (location.hash += '&line=1000'))
    await page.locator('.hidden-line').first().waitFor()
    await page.getByLabel('Limit').fill('20000')
    await page.getByText('the result stays in the context').waitFor()
  })

  it('shows the answer of the retrieval tool to a search, and the call', async () => {
    const storage = new InMemoryStorage()
    const { reference, offloader } = await offload(storage, numbered(3_000))
    const input = { reference, pattern: 'FAILED' }
    const { content } = await offloader.retrievalTool.execute(input)
    const { page } = await openPage(`${(await serveInspector({ storage })).url}#entry=${reference}&tab=search`)
    await page.getByLabel('pattern', { exact: true }).fill('FAILED')
    await page.getByRole('button', { name: 'Search' }).click()
    const answer = await page.locator('.answer').innerText()
    expect([{ type: 'text', text: answer }]).toEqual(content)
    await page.getByText(`retrieve_offloaded_content ${JSON.stringify(input)}`).waitFor()
    await page.getByText(/The model would get \d+ tokens/).waitFor()
  })

  it('scrolls to the line in the URL', async () => {
    const storage = new InMemoryStorage()
    const { reference } = await offload(storage, numbered(3_000))
    const { page } = await openPage(
      `${(await serveInspector({ storage })).url}#entry=${reference}&tab=content&line=1500`,
    )
    const target = page.locator('.line.target code')
    await expect.poll(() => target.innerText()).toBe('line 1500 FAILED')
    await page.getByLabel('Line 1501').click()
    await expect.poll(() => target.innerText()).toBe('line 1501 ok')
    expect(new URL(page.url()).hash).toBe(`#entry=${reference}&tab=content&line=1501`)
  })

  it('scrolls a large entry to its end by range reads, and searches it', async () => {
    const size = isFull ? 1_000_000_000 : 40_000_000
    const folder = mkdtempSync(join(tmpdir(), 'spillway-inspector-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const storage = new FileStorage(folder)
    const count = Math.ceil(size / 25)
    const reference = await storage.storeStream('large', manyLines(count), 'text/plain')
    const { page } = await openPage(`${(await serveInspector({ storage })).url}#entry=${reference}&tab=content`)
    let read = 0
    page.on('response', (response) => {
      if (response.url().includes('/api/content')) read += Number(response.headers()['content-length'] ?? 0)
    })
    const list = page.getByLabel('Lines of the content')
    await list.press('End')
    await page.getByLabel(`Line ${count}`, { exact: true }).waitFor()
    await expect.poll(async () => (await lines(page)).at(-1)).toBe(lineOf(count).trimEnd())
    await list.press('ArrowUp')
    await list.press('PageUp')
    await page.evaluate((line) => (location.hash += `&line=${line}`), count - 500_000)
    await expect.poll(() => page.locator('.line.target code').innerText()).toBe(lineOf(count - 500_000).trimEnd())
    expect(read).toBeLessThan(4_000_000)
    await page.getByRole('link', { name: 'search' }).click()
    await page.getByLabel('pattern', { exact: true }).fill(lineOf(count - 1).trimEnd())
    await page.getByRole('button', { name: 'Search' }).click()
    await page.locator('.answer').getByText('[1 match]').waitFor()
  })

  it('splits content of one long line into parts', async () => {
    const storage = new InMemoryStorage()
    const reference = await storage.store('long', bytesOf(`${'x'.repeat(5_000_000)}END`))
    const { page } = await openPage(`${(await serveInspector({ storage })).url}#entry=${reference}&tab=content`)
    await page.getByLabel('Lines of the content').press('End')
    await expect.poll(async () => (await lines(page)).at(-1)).toMatch(/^x*END$/)
  })

  it('shows JSON as a tree, tables as a grid, colors, diffs, and images', async () => {
    const storage = new InMemoryStorage()
    const stored = async (text: string | Uint8Array, contentType: string): Promise<string> => {
      const content = typeof text === 'string' ? bytesOf(text) : text
      return `entry=${await storage.store('content', content, contentType)}&tab=content`
    }
    const { page } = await openPage((await serveInspector({ storage })).url)
    const open = (place: string): Promise<void> => page.evaluate((hash) => void (location.hash = hash), place)

    await open(await stored('{"a b":[{"c":true}]}', 'application/json'))
    await page.getByRole('button', { name: 'tree' }).click()
    for (const path of ["$['a b']", "$['a b'][0]"])
      await page.getByLabel(`Copy ${path}`, { exact: true }).locator('..').locator('.toggle').first().click()
    await page.getByLabel("Copy $['a b'][0].c").waitFor()

    await open(await stored('id,name\n1,"one, 1"\n2,two\n', 'text/csv'))
    await page.getByRole('button', { name: 'table' }).click()
    await page.getByRole('cell', { name: 'one, 1' }).waitFor()
    await page.getByLabel('SQL').fill('SELECT count(*) AS rows FROM t')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('columnheader', { name: 'rows' }).waitFor()
    expect(await page.locator('tbody td').allInnerTexts()).toEqual(['2'])

    await open(await stored('\u001B[1;31mred\u001B[0m and \u001B[38;2;0;0;255mblue\u001B[0m\n', 'text/plain'))
    expect(await page.locator('.ansi-red.ansi-bold').innerText()).toBe('red')
    expect(await page.locator('.ansi-blue').innerText()).toBe('blue')

    await open(await stored('--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n', 'text/x-diff'))
    await page.locator('.line.added').waitFor()
    expect(await page.locator('.line.removed code').allInnerTexts()).toEqual(['-old'])

    await open(await stored(Buffer.from(PIXEL, 'base64'), 'image/png'))
    await expect.poll(() => page.evaluate(() => document.images[0]?.naturalWidth)).toBe(1)
    await open(await stored('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'))
    await page.getByText('<svg xmlns=').waitFor()
    expect(await page.evaluate(() => document.images.length)).toBe(0)
  })

  it('shows new lines of an entry that is still written', async () => {
    const storage = new InMemoryStorage()
    const writer = await storage.openEntry('build')
    await writer.write(bytesOf('first\n'.repeat(200_000)))
    const { page } = await openPage(`${(await serveInspector({ storage })).url}#entry=${writer.reference}&tab=content`)
    await page.getByText('follows while it is written').waitFor()
    await writer.write(bytesOf(`${'more\n'.repeat(300_000)}last\n`))
    await writer.close()
    await expect.poll(async () => (await lines(page)).at(-1)).toBe('last')
    await page.getByText('follows while it is written').waitFor({ state: 'detached' })
  })

  it('never runs code in stored content, and loads nothing that stored content names', async () => {
    const storage = new InMemoryStorage()
    const journal = new ListJournal()
    const payloads = PAYLOADS.map((payload) => payload.replaceAll('ALERT', "document.title='run'"))
    const types = ['text/html', 'image/svg+xml', 'application/json', 'text/csv', 'text/x-diff']
    for (const [index, payload] of payloads.entries()) {
      const contentType = types[index % types.length]!
      const isJson = contentType === 'application/json'
      const text = isJson ? JSON.stringify({ [payload]: payloads }) : `${payload}\n${payloads.join('\n')}`
      const metadata = { tool: payload, note: payload }
      await storage.scope(payload.slice(0, 20)).store(payload, bytesOf(text), contentType, { metadata })
    }
    journal.events.push({
      type: 'offload',
      time: Date.now(),
      scope: '',
      tool: payloads[0]!,
      references: [],
      tokens: { original: 5_000, replacement: 10 },
    })
    const { url } = await serveInspector({ storage, journal })
    const { page, faults } = await openPage(url)
    page.on('dialog', (dialog) => void dialog.dismiss())
    await page.getByText(`${payloads.length} entries`).waitFor()
    const rows = await page.evaluate(async () => (await (await fetch('api/entries?limit=500')).json()).entries)
    for (const { reference, scope, contentType } of rows as {
      reference: string
      scope: string
      contentType: string
    }[]) {
      const entry = new URLSearchParams({ entry: reference, scope }).toString()
      for (const tab of ['preview', 'content', 'search', 'history']) {
        await page.evaluate((hash) => void (location.hash = hash), `${entry}&tab=${tab}`)
        await page.locator(`.tabs [aria-current=page]:text-is("${tab}")`).waitFor()
        if (tab === 'content') await page.locator('.line code:not(:empty)').first().waitFor()
        if (tab === 'content' && contentType === 'application/json') {
          await page.getByRole('button', { name: 'tree' }).click()
          await page.locator('.tree .toggle').first().waitFor()
        }
        if (tab === 'content' && contentType === 'text/csv') await page.getByRole('button', { name: 'table' }).click()
        if (tab === 'search') {
          await page.getByRole('button', { name: 'Search' }).click()
          await page.locator('.answer').waitFor()
        }
      }
    }
    await page.getByRole('link', { name: 'meter' }).click()
    await page.locator('canvas').waitFor()
    expect(faults).toEqual([])
    expect(await page.title()).toBe('Spillway inspector')
    expect(await page.locator('iframe, object, embed, script:not([src="main.js"]), svg, main img').count()).toBe(0)
  })

  it.each(['light', 'dark'] as const)(
    'has no accessibility problem that axe finds, in the %s theme',
    async (colorScheme) => {
      const storage = new InMemoryStorage()
      const journal = new ListJournal()
      const { reference, offloader } = await offload(storage, `\u001B[31mred\u001B[0m\n${numbered(3_000)}`, { journal })
      await offloader.retrievalTool.execute({ reference, pattern: 'FAILED' })
      const json = await storage.store('json', bytesOf('{"a":[1,"b",true,null]}'), 'application/json')
      const { page } = await openPage((await serveInspector({ storage, journal, allowDelete: true })).url, {
        colorScheme,
      })
      const places = [
        ['', '.row a'],
        [`entry=${reference}&line=1000`, '.hidden-line'],
        [`entry=${reference}&tab=content&line=2`, '.line.target'],
        [`entry=${reference}&tab=search`, 'form'],
        [`entry=${reference}&tab=history`, 'td'],
        [`entry=${json}&tab=content`, '.line code:not(:empty)'],
        ['view=meter', 'canvas'],
      ] as const
      for (const [place, shown] of places) {
        await page.evaluate((hash) => void (location.hash = hash), place)
        await page.locator(shown).first().waitFor()
        if (place.includes(json)) await page.getByRole('button', { name: 'tree' }).click()
        await page.evaluate(axe.source)
        const violations = await page.evaluate(async () => {
          const { violations } = await (window as unknown as { axe: typeof axe }).axe.run()
          return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 100)).join(' ')}`)
        })
        expect(violations, place).toEqual([])
      }
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(22, 24, 29)')
    },
  )

  it('shows why the history of an entry cannot be read', async () => {
    const storage = new InMemoryStorage()
    const journal = new ListJournal()
    const { reference } = await offload(storage, numbered(3_000), { journal })
    const { page } = await openPage((await serveInspector({ storage, journal })).url)
    await page.route('**/api/history*', (route) => route.fulfill({ json: { error: { message: 'It is closed.' } } }))
    await page.evaluate((hash) => void (location.hash = hash), `entry=${reference}&tab=history`)
    await expect.poll(() => page.getByRole('alert').allInnerTexts()).toEqual(['It is closed.'])
  })

  it('can be used with the keyboard', async () => {
    const storage = new InMemoryStorage()
    for (const key of ['one', 'two', 'three']) await storage.store(key, bytesOf(key))
    const { page } = await openPage((await serveInspector({ storage })).url)
    await page.getByRole('button', { name: 'Reference' }).click()
    await page.getByText('3 entries').click()
    for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('heading', { name: /^three_/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: /^three_/ }).waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('two')
    await page.getByText('1 entry').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await page.getByRole('dialog').innerText()).toContain('filter the list')
  })

  it('removes entries after a confirmation that names their number and bytes', async () => {
    const storage = new InMemoryStorage()
    for (const key of ['one', 'two']) await storage.store(key, bytesOf(key))
    const { page } = await openPage((await serveInspector({ storage, allowDelete: true })).url)
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.message())
      void dialog.accept()
    })
    await page.getByRole('button', { name: 'Clear…' }).click()
    await page.getByText('0 entries').waitFor()
    expect(asked).toEqual([expect.stringMatching(/^Remove 2 entries \(6 B\) of the shown scope/)])
    const readOnly = await openPage((await serveInspector({ storage })).url)
    await readOnly.page.getByText('0 entries').waitFor()
    expect(await readOnly.page.getByRole('button', { name: 'Clear…' }).count()).toBe(0)
  })

  it('fits a screen of 400 pixels', async () => {
    const storage = new InMemoryStorage()
    const { reference } = await offload(storage, numbered(3_000))
    const { url } = await serveInspector({ storage })
    const { page } = await openPage(`${url}#entry=${reference}&line=1000`, { viewport: { width: 400, height: 800 } })
    await page.locator('.hidden-line').first().waitFor()
    for (const hash of [`entry=${reference}&tab=content`, `entry=${reference}&tab=search`, '']) {
      await page.evaluate((place) => void (location.hash = place), hash)
      await page.getByRole('button', { name: 'Keyboard help' }).waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth), hash).toBe(400)
    }
  })

  it('loads little code before the first entry is opened', async () => {
    const { url } = await serveInspector({ storage: new InMemoryStorage() })
    const { page } = await openPage(url)
    await page.getByText('0 entries').waitFor()
    const sizes = await page.evaluate(async () => {
      const names = performance.getEntriesByType('resource').map((entry) => entry.name)
      const files = names.filter((one) => /\.(?:js|css)$/.test(one))
      return await Promise.all(
        files.map(async (file) => {
          const body = (await fetch(file)).body!.pipeThrough(new CompressionStream('gzip'))
          return (await new Response(body).arrayBuffer()).byteLength
        }),
      )
    })
    expect(sizes.length).toBeGreaterThan(1)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000)
  })
})

/** A PNG of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const lineOf = (line: number): string => `${`line ${line} of many`.padEnd(24, '.')}\n`

async function* manyLines(count: number): AsyncGenerator<Uint8Array> {
  const batch = 40_000
  for (let at = 1; at <= count; at += batch)
    yield bytesOf(Array.from({ length: Math.min(batch, count - at + 1) }, (_, index) => lineOf(at + index)).join(''))
}

/** Texts with scripts. Each `ALERT` would change the title of the page if it ran. */
const PAYLOADS = [
  '<script>ALERT</script>',
  '"><img src=x onerror=ALERT>',
  "'><svg onload=ALERT>",
  '<svg xmlns="http://www.w3.org/2000/svg"><script>ALERT</script><image href="http://192.0.2.1/x"/></svg>',
  '<iframe srcdoc="<script>parent.ALERT</script>"></iframe>',
  '<a href="javascript:ALERT" autofocus onfocus=ALERT>x</a>',
  '<link rel=stylesheet href=http://192.0.2.1/x><style>@import "http://192.0.2.1/y"</style>',
  '<base href=http://192.0.2.1/><meta http-equiv=refresh content="0;url=http://192.0.2.1/">',
  '</code></div></body><script>ALERT</script>',
  '{{constructor.constructor("ALERT")()}}${ALERT}',
  '\u001B]8;;javascript:ALERT\u0007link\u001B]8;;\u0007\u001B[31m<img src=x onerror=ALERT>\u001B[0m',
  '\u202E<script>ALERT</script>\u2066',
  '=HYPERLINK("http://192.0.2.1/","x")',
]
