/** Runs clients of two tenants after a line on stdin, and prints their operations and problems as one line of JSON. */
import { once } from 'node:events'
import { readScriptArgument } from '../backend.ts'
import type { LoadTask } from '../load-task.ts'
import { runLoad } from '../run-load.ts'

const { open, task } = await readScriptArgument()
console.log('ready')
await once(process.stdin, 'data')
console.log(JSON.stringify(await runLoad(open, task as LoadTask)))
process.stdin.destroy()
