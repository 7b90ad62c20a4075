import { expect, test } from 'vitest'
import { replaceSection } from './replace-section.ts'

const DOCUMENT = '# Title\n\n## First\n\none\n\n### Part\n\n## Last\n\ntwo\n'

test('a section is inserted before another, or replaced with its parts if it exists', () => {
  const inserted = replaceSection(DOCUMENT, 'New', 'text\n\n### Part\n', 'Last')
  expect(inserted).toBe('# Title\n\n## First\n\none\n\n### Part\n\n## New\n\ntext\n\n### Part\n\n## Last\n\ntwo\n')
  expect(replaceSection(inserted, 'New', 'other', 'Last')).toBe(
    '# Title\n\n## First\n\none\n\n### Part\n\n## New\n\nother\n\n## Last\n\ntwo\n',
  )
  expect(() => replaceSection(DOCUMENT, 'New', 'text', 'Missing')).toThrow('no section Missing')
})
