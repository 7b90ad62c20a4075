/**
 * For processes with `--import` of this file: resolves packages from the peer set that the environment names, for sources
 * and for tests.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageName } from './package-name.ts'
import { PEERS_VARIABLE } from './peer-sets.ts'

const folder = process.env[PEERS_VARIABLE]
if (folder !== undefined) {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const parentURL = pathToFileURL(join(folder, 'index.js')).href
  registerHooks({
    resolve(specifier, context, next) {
      const name = packageName(specifier)
      const isOurs = name in dependencies && context.parentURL?.includes('/node_modules/') === false
      return next(specifier, isOurs ? { ...context, parentURL } : context)
    },
  })
}
