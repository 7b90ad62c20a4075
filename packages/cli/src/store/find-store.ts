import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CliError, EXIT_CODE } from '../cli-error.ts'
import { unlessRefused } from '../unless-refused.ts'

const FOLDER = '.spillway'

/** Return the URL of a folder's store: the nearest `.spillway` in it or above, or else one in the repository's root. */
export function findStore(folder: string = process.cwd()): string {
  const place = placeOf(folder)
  refuseOthersStore(place)
  return urlOf(place)
}

/** @throws CliError `no-store` if the `.spillway` in a folder belongs to another user. */
export function refuseOthersStore(folder: string): void {
  if (ownerOfStore(folder) !== 'another user') return
  const message = `${join(folder, FOLDER)} belongs to another user. Name a store with --store or SPILLWAY_STORE.`
  throw new CliError('no-store', EXIT_CODE.storage, message)
}

function placeOf(folder: string): string {
  const above = foldersAbove(folder)
  return above.find(hasStore) ?? above.find((each) => existsSync(join(each, '.git'))) ?? folder
}

/** Return URLs of stores near a folder: above it, or one level below it or below the repository's root. */
export function nearbyStores(folder: string = process.cwd()): readonly string[] {
  const found = placeOf(folder)
  const places = [found, folder].flatMap((place) => [place, ...foldersIn(place)])
  return [...new Set(places.filter(hasStore).map(urlOf))]
}

const urlOf = (folder: string): string => `file:${join(folder, FOLDER)}`

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...foldersAbove(above)]
}

function foldersIn(folder: string): readonly string[] {
  const entries = unlessRefused(() => readdirSync(folder, { withFileTypes: true })) ?? []
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => resolve(folder, name))
}

const hasStore = (folder: string): boolean => ownerOfStore(folder) === 'this user'

/** Another user could create a store in a folder that everyone can write to. */
function ownerOfStore(folder: string): 'this user' | 'another user' | undefined {
  const store = unlessRefused(() => statSync(join(folder, FOLDER), { throwIfNoEntry: false }))
  if (store?.isDirectory() !== true) return undefined
  return [store.uid, 0].includes(process.getuid?.() ?? store.uid) ? 'this user' : 'another user'
}
