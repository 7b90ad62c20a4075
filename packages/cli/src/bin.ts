#!/usr/bin/env node
import module from 'node:module'

const args = process.argv.slice(2)
// Compiling takes a third of the time of a short command.
module.enableCompileCache()
// A hook runs with every tool call, and loads only what it needs.
const { main } = await (args[0] === 'hook' ? import('./hook/main.ts') : import('./cli.ts'))

// Output is complete here; open handles must not keep the process.
process.exit(await main(args))
