/** Writes docs/http-api.md: `node internal/docs/write-http-api.ts`. */
import { writeFileSync } from 'node:fs'
import { HTTP_API, writtenHttpApi } from './http-api.ts'

writeFileSync(HTTP_API, await writtenHttpApi())
