import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { createApp } from '@spillway/server'
import { renderHttpApi, type OpenApi } from './render-http-api.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Path of the reference of the HTTP service. */
export const HTTP_API: string = join(ROOT, 'docs/http-api.md')

const START = '<!-- endpoints -->'
const END = '<!-- end of endpoints -->'

/** Return the reference with the current endpoints of the service, formatted. */
export async function writtenHttpApi(): Promise<string> {
  const app = createApp(new ContextOffloader({ storage: new InMemoryStorage() }), { tokens: 'none' })
  const response = await app.fetch(new Request('http://localhost/openapi.json'))
  const endpoints = renderHttpApi((await response.json()) as OpenApi)
  const document = readFileSync(HTTP_API, 'utf8')
  const start = document.indexOf(START)
  const end = document.indexOf(END)
  if (start < 0 || end < start) throw new Error(`docs/http-api.md needs ${START} and ${END}.`)
  return await formatted(`${document.slice(0, start + START.length)}\n\n${endpoints}\n\n${document.slice(end)}`)
}

async function formatted(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-docs-'))
  const file = join(folder, 'http-api.md')
  try {
    writeFileSync(file, text)
    const oxfmt = join(ROOT, 'node_modules/oxfmt/bin/oxfmt')
    await promisify(execFile)(process.execPath, [oxfmt, '-c', join(ROOT, '.oxfmtrc.json'), file])
    return readFileSync(file, 'utf8')
  } finally {
    await rm(folder, { recursive: true })
  }
}
