import { describe, expect, it } from 'vitest'
import { mainContent } from './main-content.ts'
import { readPage } from '../../test/read-page.ts'

const content = (body: string, title = ''): string[] =>
  mainContent(readPage(`<!doctype html><title>${title}</title><body>${body}`)).map(({ text }) => text)

const sentence = (index: number): string =>
  `Sentence ${index} of the article tells in some detail what happened on that day, and to whom.`
const article = [1, 2, 3, 4].map((index) => `<p>${sentence(index)}</p>`).join('')
const told = [1, 2, 3, 4].map(sentence)
const menu = `<ul>${['Home', 'News', 'Shop', 'About us'].map((text) => `<li><a href="/">${text}</a></li>`).join('')}</ul>`

describe('mainContent', () => {
  it.each([
    ['navigation and footer', `<nav>${menu}</nav><div>${article}</div><footer><p>${sentence(9)}</p></footer>`],
    [
      'roles',
      `<div role="navigation">${menu}</div><div>${article}</div><div role="complementary">${sentence(9)}</div>`,
    ],
    [
      'names',
      `<div id="top-nav">${menu}</div><div>${article}</div><div class="cookie-banner"><p>${sentence(9)}</p></div>`,
    ],
    ['lists of short links', `<div>${menu}</div><div>${article}</div><div>${menu}</div>`],
    ['hidden parts', `<div>${article}</div><div hidden><p>${sentence(9)}</p></div>`],
    ['what stands beside main', `<p>${sentence(8)}</p><main>${article}</main><p>${sentence(9)}</p>`],
    [
      'teasers below a heading that says so',
      `<div>${article}<div><h2>Related stories</h2><div><p>${sentence(9)}</p></div></div></div>`,
    ],
  ])('leaves out %s', (_, body) => {
    expect(content(body)).toEqual(told)
  })

  it('keeps a page that stands in a form, and one that scripts unhide', () => {
    expect(content(`<form>${article}</form>`)).toEqual(told)
    expect(content(`<p>Loading</p><div hidden id="S:0">${article}</div>`)).toEqual(told)
  })

  it('keeps a list of links where the page has nothing else', () => {
    const results = [1, 2, 3, 4, 5].map((index) => `<li><a href="/">Result number ${index}</a></li>`).join('')
    expect(content(`<nav>${menu}</nav><div><h1>Results</h1><ul>${results}</ul></div>`)).toContain('Result number 3')
  })

  it('keeps all articles of a page that has several', () => {
    const several = [1, 2, 3]
      .map((index) => `<article><h2>Post ${index}</h2><p>${sentence(index)}</p></article>`)
      .join('')
    expect(content(`<main>${several}</main>`)).toEqual(['Post 1', told[0], 'Post 2', told[1], 'Post 3', told[2]])
  })

  it('takes in the headline from before the content, but not the name of the site', () => {
    const page = `<header><h1>The Daily</h1></header><div><h1>What happened</h1></div><div>${article}</div>`
    expect(content(page, 'What happened | The Daily')).toEqual(['What happened', ...told])
  })

  it('shows once what stands there twice, and leaves out links that say always the same', () => {
    const cards = [1, 2, 3].map((index) => `<p>${sentence(index)} <br><br><a href="/">More</a></p>`).join('')
    expect(content(`${cards}<p>${sentence(1)}</p>`)).toEqual([told[0], told[1], told[2]])
  })

  it('is empty for a page without text', () => {
    expect(content('<div id="root"></div>')).toEqual([])
  })
})
