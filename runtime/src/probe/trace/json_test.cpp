// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/json.h"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {
namespace {

// An open folder, for JsonFile.
class OpenFolder {
  public:
    explicit OpenFolder(const std::string& path) : descriptor_(open(path.c_str(), O_PATH | O_DIRECTORY)) {}
    ~OpenFolder() { close(descriptor_); }
    OpenFolder(const OpenFolder&) = delete;
    OpenFolder& operator=(const OpenFolder&) = delete;
    operator long() const { return descriptor_; }

  private:
    int descriptor_;
};

// What {"k": value} looks like in the file for the string `value`.
std::string written(const char* value) {
    const ScratchFolder folder;
    const OpenFolder opened(folder.path());
    JsonFile json(opened, "one.json");
    json.string("k", value);
    EXPECT_EQ(json.commit(), 0);
    const std::string text = contents_before_checksum(folder.file("one.json"));
    const std::string before = "{\n  \"k\": ", after = "\n}\n";
    EXPECT_EQ(text.substr(0, before.size()), before);
    EXPECT_EQ(text.substr(text.size() - after.size()), after);
    return text.substr(before.size(), text.size() - before.size() - after.size());
}

TEST(JsonFile, PlainTextIsWrittenAsItIs) {
    EXPECT_EQ(written(""), "\"\"");
    EXPECT_EQ(written("./prog -n 3 /x"), "\"./prog -n 3 /x\"");
}

TEST(JsonFile, QuotesBackslashesAndControlCharactersAreEscaped) {
    EXPECT_EQ(written("say \"hi\""), R"("say \"hi\"")");
    EXPECT_EQ(written("a\\b"), R"("a\\b")");
    EXPECT_EQ(written("a\nb\tc\x01\x1f"), R"("a\u000ab\u0009c\u0001\u001f")");
    EXPECT_EQ(written("\x7f"), "\"\x7f\""); // allowed as it is
}

TEST(JsonFile, Utf8IsKept) {
    for (const char* text : {"\u00e4", "\u20ac", "\U0001f600", "\u07ff\u0800\uffff", "\U0010ffff"})
        EXPECT_EQ(written(text), std::string("\"") + text + '"');
}

TEST(JsonFile, OtherBytesBecomeCodePointsOfTheSameNumber) {
    EXPECT_EQ(written("a\xff"), R"("a\u00ff")");
    EXPECT_EQ(written("\x80z"), R"("\u0080z")");               // a continuation without a lead
    EXPECT_EQ(written("\xe2\x82"), R"("\u00e2\u0082")");       // cut short by the end
    EXPECT_EQ(written("\xe2\x82\"."), R"("\u00e2\u0082\".")"); // cut short by a quote
    EXPECT_EQ(written("\xc3\xc3\xa4"), "\"\\u00c3\u00e4\"");
    EXPECT_EQ(written("\xc0\xaf"), R"("\u00c0\u00af")"); // longer than it needs to be
    EXPECT_EQ(written("\xf5\x80\x80\x80"), R"("\u00f5\u0080\u0080\u0080")");
}

TEST(JsonFile, ListsMapsAndNumbersNest) {
    const ScratchFolder folder;
    const OpenFolder opened(folder.path());
    JsonFile json(opened, "all.json");
    json.number("big", ~std::uint64_t{0});
    json.begin("list", '[');
    json.item("a");
    json.item("b\"");
    json.item(std::uint64_t{3});
    json.end(']');
    json.begin("empty", '[');
    json.end(']');
    json.begin("map", '{');
    json.string("k\n", "v");
    json.end('}');
    json.number("zero", 0);
    ASSERT_EQ(json.commit(), 0);
    EXPECT_EQ(contents_before_checksum(folder.file("all.json")),
              "{\n  \"big\": 18446744073709551615,\n  \"list\": [\n  \"a\",\n  \"b\\\"\",\n  3],\n  \"empty\": [],\n"
              "  \"map\": {\n  \"k\\u000a\": \"v\"},\n  \"zero\": 0\n}\n");
}

// The same text is a test of the tools' reader.
TEST(JsonFile, ItsLastMemberIsAChecksumOfTheOthers) {
    const ScratchFolder folder;
    const OpenFolder opened(folder.path());
    JsonFile json(opened, "n.json");
    json.number("n", 1);
    ASSERT_EQ(json.commit(), 0);
    EXPECT_EQ(contents(folder.file("n.json")), "{\n  \"n\": 1,\n  \"checksum\": 123580254191303959\n}\n");
}

TEST(JsonFile, WithoutCommitThereIsNoFile) {
    const ScratchFolder folder;
    const OpenFolder opened(folder.path());
    {
        JsonFile json(opened, "half.json");
        json.number("n", 1);
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(JsonFile, SaysWhyItCannotBeWritten) {
    JsonFile json(-1, "x.json");
    json.number("n", 1);
    json.string("s", "t");
    json.begin("list", '[');
    json.item("i");
    json.end(']');
    EXPECT_EQ(json.commit(), EBADF);
}

TEST(JsonFile, OfSeveralWritersOneSucceeds) {
    const ScratchFolder folder;
    const OpenFolder opened(folder.path());
    JsonFile first(opened, "x.json"), second(opened, "x.json");
    EXPECT_EQ(second.commit(), EEXIST) << "on its way";
    EXPECT_EQ(first.commit(), 0);
    JsonFile third(opened, "x.json");
    EXPECT_EQ(third.commit(), EEXIST) << "there";
    EXPECT_EQ(contents(folder.file("x.json")), "{\n  \"checksum\": 367381756682174464\n}\n");
}

TEST(JsonFile, LongTextsAreWhole) {
    const std::string text(100'000, 'x');
    EXPECT_EQ(written(text.c_str()), '"' + text + '"');
}

TEST(JsonFile, CodePointsThatDoNotExistAreNotUtf8) {
    EXPECT_EQ(written("\xe0\x80\xaf"), R"("\u00e0\u0080\u00af")"); // longer than it needs to be
    EXPECT_EQ(written("\xf0\x80\x80\xaf"), R"("\u00f0\u0080\u0080\u00af")");
    EXPECT_EQ(written("\xed\xa0\x80"), R"("\u00ed\u00a0\u0080")");           // half of a surrogate pair
    EXPECT_EQ(written("\xf4\x90\x80\x80"), R"("\u00f4\u0090\u0080\u0080")"); // above U+10FFFF
}

} // namespace
} // namespace teff::probe::trace
