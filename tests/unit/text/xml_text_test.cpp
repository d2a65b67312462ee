// What may stand in XML, and what becomes of the rest.
#include "driver/text/xml_text.hpp"

#include <gtest/gtest.h>

namespace syncmeter::xml_text_test {
namespace {

using namespace std::string_literals;

TEST(xml_text, escapes_markup) {
  EXPECT_EQ(xml_text(R"(a<b> & "c" 'd')"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(xml_text(""), "");
}

TEST(xml_text, keeps_whole_characters_of_utf8) {
  EXPECT_EQ(xml_text("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(xml_text("tab\tline\n"), "tab\tline\n");
}

TEST(xml_text, replaces_what_xml_cannot_hold) {
  EXPECT_EQ(xml_text("\x1b[31m\0z"s), "?[31m?z");
  EXPECT_EQ(xml_text("\xff\xc3"), "??") << "no UTF-8, and a character cut off";
  EXPECT_EQ(xml_text("\xc0\xaf"), "??") << "overlong";
  EXPECT_EQ(xml_text("\xe0\x80\xaf"), "???") << "overlong";
  EXPECT_EQ(xml_text("\xed\xa0\x80"), "???") << "half of a surrogate pair";
  EXPECT_EQ(xml_text("\xef\xbf\xbf"), "???") << "U+FFFF is no character";
  EXPECT_EQ(xml_text("\xf4\x90\x80\x80"), "????") << "beyond U+10FFFF";
}

}  // namespace
}  // namespace syncmeter::xml_text_test
