#!/usr/bin/env node
import module from 'node:module'
import { isTooOld, OLDEST_NODE } from './oldest-node.ts'

const args = process.argv.slice(2)
if (isTooOld(process.versions.node))
  process.stderr.write(`spillway: Node.js ${OLDEST_NODE} or newer is needed; this is ${process.versions.node}.\n`)
// Compiling takes a third of the time of a short command.
module.enableCompileCache()
// A hook runs with every tool call, and loads only what it needs.
const { main } = await (args[0] === 'hook' ? import('./hook/main.ts') : import('./cli.ts'))

// Output is complete here; open handles must not keep the process.
process.exit(await main(args))
