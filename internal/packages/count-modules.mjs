/** Counts the modules that a program loads, ours and others: `SPILLWAY_MODULES=<file> node --import <this> …` writes both. */
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loaded = new Set()
registerHooks({
  load(url, context, next) {
    loaded.add(url)
    return next(url, context)
  },
})
process.once('exit', () => {
  const files = [...loaded].filter((url) => url.startsWith('file:') && url !== import.meta.url)
  const own = files.filter((url) => /\/node_modules\/@spillway\/[^/]+\/dist\//.test(url)).length
  writeFileSync(process.env.SPILLWAY_MODULES, JSON.stringify([own, files.length - own]))
})
