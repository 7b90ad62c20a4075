import { cleanLine, perSubject } from '@spillway/text/internal'
import { fitBudget } from '../layout/fit-budget.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { folderListing } from './folder-listing.ts'
import type { ListingForm } from './listing-form.ts'
import { ListingLayout } from './listing-layout.ts'
import { ListingLines } from './listing-reader.ts'
import { matchListing } from './match-listing.ts'
import { nameListing } from './name-listing.ts'
import { pathListing } from './path-listing.ts'
import { treeListing } from './tree-listing.ts'

const FORMS: readonly ListingForm[] = [folderListing, matchListing, treeListing, pathListing, nameListing]
/** Lines that are looked at. */
const MOST_LINES = 400

/**
 * Preview listings: the files of folders, paths, matches of a search, trees, names.
 *
 * The preview counts what stands in each folder or file, the fullest told apart first, and shows entries of each. It is one
 * of the previewers that every offloader has; made with other options it replaces that one.
 */
export function listingPreviewer(): TextPreviewer {
  return {
    name: 'listing',
    previews: 'text',
    recognize: (subject) => listingForm(subject).sureness,
    read: (subject) => {
      const { form } = listingForm(subject)
      const reader = form && new ListingLines(form)
      return {
        push: (text) => reader?.push(text),
        finish: () => {
          const data = reader?.finish()
          if (data === undefined) return undefined
          return (preview) => {
            const layout = new ListingLayout(data, preview)
            return fitBudget((aim) => layout.write(aim), preview)
          }
        },
      }
    },
  }
}

const listingForm = perSubject((subject: TextSubject): { form: ListingForm | undefined; sureness: number } => {
  const { start, isWhole } = subject
  const all = start.split('\n')
  // The last line may be cut.
  if (!isWhole) all.pop()
  const lines = all.slice(0, MOST_LINES).map((line) => cleanLine(line))
  let best: { form: ListingForm | undefined; sureness: number } = { form: undefined, sureness: 0 }
  for (const form of FORMS) {
    const sureness = form.recognize(lines, subject)
    if (sureness > best.sureness) best = { form, sureness }
  }
  return best
})
