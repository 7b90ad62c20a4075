/** Checks that types of tarballs resolve in all ways in which the package resolves. Takes a second for each package. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { chosen, listPublicPackages, tarballOf } from './public-packages.ts'
import { checkTypes } from './resolved-types.ts'

const packages = chosen(listPublicPackages(), ({ folder }) => folder)

it.each(packages)(
  'the types of $name resolve in every way in which the package resolves',
  async ({ folder, manifest }) => {
    const { entrypoints, problems } = await checkTypes(readFileSync(tarballOf(folder)))
    expect(problems).toEqual([])
    expect(entrypoints).toEqual(Object.keys(manifest['exports'] as Readonly<Record<string, unknown>>))
  },
)
