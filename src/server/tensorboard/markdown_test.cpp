// SPDX-License-Identifier: Apache-2.0
// What is expected here is what TensorBoard 2.21 answers for the same texts.
#include "server/tensorboard/markdown.h"

#include <gtest/gtest.h>

#include <string>

#include "server/tensorboard/safe_html.h"

namespace telltale {
namespace {

TEST(Markdown, BlocksAreAsTensorBoardMakesThem) {
  EXPECT_EQ(SafeHtmlOfMarkdown("just words"), "<p>just words</p>");
  EXPECT_EQ(SafeHtmlOfMarkdown(""), "");
  EXPECT_EQ(SafeHtmlOfMarkdown("# Head\n\n- one\n- two\n\n**bold** *it* `code`"),
            "<h1>Head</h1>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"
            "<p><strong>bold</strong> <em>it</em> <code>code</code></p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("|a|b|\n|-|-|\n|1|2|"),
            "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n"
            "<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>");
  EXPECT_EQ(SafeHtmlOfMarkdown("```python\nprint('<hi>')\n```"),
            "<pre><code>print('&lt;hi&gt;')\n</code></pre>");
  EXPECT_EQ(SafeHtmlOfMarkdown("> quoted\n> more\n\nafter"),
            "<blockquote>\n<p>quoted\nmore</p>\n</blockquote>\n<p>after</p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("Title\n=====\n\nSub\n---\ntext"),
            "<h1>Title</h1>\n<h2>Sub</h2>\n<p>text</p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("- a\n    - b\n- d"),
            "<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>d</li>\n</ul>");
  EXPECT_EQ(SafeHtmlOfMarkdown("- a\n\n- b"),
            "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>");
  EXPECT_EQ(SafeHtmlOfMarkdown("para\n- not list"), "<p>para\n- not list</p>");
}

TEST(Markdown, SpansAreAsTensorBoardMakesThem) {
  EXPECT_EQ(SafeHtmlOfMarkdown("x_y_z and _em_ __strong__"),
            "<p>x_y_z and <em>em</em> <strong>strong</strong></p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("**a *b* c**"), "<p><strong>a <em>b</em> c</strong></p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("`` a`b ``"), "<p><code>a`b</code></p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("a  \nb"), "<p>a<br>\nb</p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("\\*no\\*"), "<p>*no*</p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("a & b &amp; &lt; &#65;"), "<p>a &amp; b &amp; &lt; &#65;</p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("![alt](a.png \"T\")"),
            "<p><img alt=\"alt\" src=\"a.png\" title=\"T\"></p>");
}

TEST(Markdown, WhatCouldRunIsShownInstead) {
  EXPECT_EQ(SafeHtmlOfMarkdown("<script>alert('x')</script>\n<img src=x onerror=alert(1)>"),
            "&lt;script&gt;alert('x')&lt;/script&gt;\n<p><img src=\"x\"></p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("[click](javascript:alert(1)) [ok](https://example.org/?a=1&b=2)"),
            "<p><a>click</a> <a href=\"https://example.org/?a=1&amp;b=2\">ok</a></p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("<svg/onload=alert(2)><style>*{display:none}</style>"),
            "<p>&lt;svg/onload=alert(2)&gt;&lt;style&gt;*{display:none}&lt;/style&gt;</p>");
  EXPECT_EQ(SafeHtmlOfMarkdown("<table><tr><td>cell</td></tr></table>"),
            "<table><tbody><tr><td>cell</td></tr></tbody></table>");
}

// Whatever hides the scheme from a filter does not hide it from a browser.
TEST(SafeHtml, OnlyAddressesThatOpenAPageAreKept) {
  for (const char* address :
       {"javascript:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)",
        "java&#115;cript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x", "vbscript:x",
        "\x01javascript:x", "javascript&colon;x"}) {
    EXPECT_EQ(SafeHtml(std::string("<a href=\"") + address + "\">x</a>"), "<a>x</a>") << address;
  }
  EXPECT_EQ(SafeHtml("<a href='mailto:a@b.c'>x</a>"), "<a href=\"mailto:a@b.c\">x</a>");
  EXPECT_EQ(SafeHtml("<a href='../x?a:b'>x</a>"), "<a href=\"../x?a:b\">x</a>");
}

TEST(SafeHtml, ElementsAreClosedAndForeignOnesAreText) {
  EXPECT_EQ(SafeHtml("<p><strong>a"), "<p><strong>a</strong></p>");
  EXPECT_EQ(SafeHtml("a</p></table>"), "a");
  EXPECT_EQ(SafeHtml("<P ONCLICK=x CLASS='y'>a</P>"), "<p>a</p>");
  EXPECT_EQ(SafeHtml("<a title='\"><script>'>x</a>"),
            "<a title=\"&quot;&gt;&lt;script&gt;\">x</a>");
  EXPECT_EQ(SafeHtml("<!-- <p> -->x"), "x");
  EXPECT_EQ(SafeHtml("<p"), "&lt;p");
  EXPECT_EQ(SafeHtml("1 < 2"), "1 &lt; 2");
}

// Texts that make a naive reader look for an end from every character on.
TEST(Markdown, HostileTextsAreDoneInTheirOwnLength) {
  for (const char* piece :
       {"[", "*a ", "`", "<a ", "![](", "<ul>", "> ", "    - ", "|-", "_", "<a \""}) {
    std::string text;
    while (text.size() < 300'000) text += piece;
    EXPECT_GT(SafeHtmlOfMarkdown(text).size() + 1, 0U) << piece;
  }
}

}  // namespace
}  // namespace telltale
