#!/usr/bin/env node
// Measures how often the first five passages for a question contain its answer line, and the time. See README.md.
import { parseArgs } from 'node:util'
import { dataFolder } from '../preview/lib/data.mjs'
import { measureQuality } from './query/quality.ts'
import { measureSpeed } from './query/speed.ts'

const { values, positionals } = parseArgs({
  options: { data: { type: 'string' }, quick: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const parts = positionals.length === 0 ? ['quality', 'speed'] : positionals
if (parts.includes('speed')) console.log(`${await measureSpeed(values.quick)}\n`)
if (parts.includes('quality')) console.log(await measureQuality(dataFolder(values.data)))
