#!/usr/bin/env node
import module from 'node:module'

const args = process.argv.slice(2)
// Without a compile cache, compiling takes a third of the time of a short command. Node.js 20 has no such cache.
;(module as Partial<typeof module>).enableCompileCache?.()
// A hook runs with every tool call, and loads only what it needs.
const { main } = await (args[0] === 'hook' ? import('./hook/main.ts') : import('./cli.ts'))

// All output is written here. Open handles must not keep the process running.
process.exit(await main(args))
