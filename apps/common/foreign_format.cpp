// SPDX-License-Identifier: Apache-2.0
// Magic bytes and endings of other formats.
#include <apps/common/foreign_format.hpp>

#include <algorithm>
#include <cctype>

#include <apps/common/compression.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/utf8.hpp>

namespace libscan::apps {
namespace {

using namespace std::string_view_literals;

struct magic {
  std::string_view bytes;
  std::string_view name;
  std::size_t at = 0;
};

constexpr magic magics[] = {
    {"\x1f\x8b"sv, "gzip data within compressed data"},
    {"BZh"sv, "bzip2 data"},
    {"\xfd"
     "7zXZ\0"sv,
     "xz data"},
    {"\x28\xb5\x2f\xfd"sv, "zstd data"},
    {"\x04\x22\x4d\x18"sv, "lz4 data"},
    {"\x5d\0\0"sv, "lzma data"},
    {"\x1f\x9d"sv, "compress data (.Z)"},
    {"\x1f\xa0"sv, "compress data (.Z)"},
    {"LZIP\x01"sv, "lzip data"},
    {"\xff\x06\0\0sNaPpY"sv, "snappy data"},
    {"\x78\x01"sv, "zlib data"},
    {"\x78\x5e"sv, "zlib data"},
    {"\x78\x9c"sv, "zlib data"},
    {"\x78\xda"sv, "zlib data"},
    {"PK\x03\x04"sv, "a zip archive (as .npz and .xlsx are)"},
    {"PK\x05\x06"sv, "an empty zip archive"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive"},
    {"Rar!\x1a\x07"sv, "a rar archive"},
    {"ustar"sv, "a tar archive", 257},
    {"PAR1"sv, "Parquet data"},
    {"ARROW1"sv, "Arrow data"},
    {"\xff\xff\xff\xff"sv, "Arrow data, or other binary data"},
    {"FEA1"sv, "Feather data"},
    {"ORC"sv, "ORC data"},
    {"Obj\x01"sv, "Avro data"},
    {"\x89HDF\r\n\x1a\n"sv, "HDF5 data"},
    {"CDF\x01"sv, "netCDF data"},
    {"CDF\x02"sv, "netCDF data"},
    {"CDF\x05"sv, "netCDF data"},
    {"MATLAB 5.0"sv, "a MATLAB file"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"\x80\x02"sv, "a Python pickle"},
    {"\x80\x03"sv, "a Python pickle"},
    {"\x80\x04"sv, "a Python pickle"},
    {"\x80\x05"sv, "a Python pickle"},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an old Office file (.xls)"},
    {"\x89PNG\r\n\x1a\n"sv, "a PNG picture"},
    {"\xff\xd8\xff"sv, "a JPEG picture"},
    {"GIF8"sv, "a GIF picture"},
    {"II*\0"sv, "a TIFF picture"},
    {"MM\0*"sv, "a TIFF picture"},
    {"RIFF"sv, "a RIFF file (WAV, AVI, WebP)"},
    {"%PDF-"sv, "a PDF file"},
    {"\x7f"
     "ELF"sv,
     "a program (ELF)"},
};

constexpr std::string_view foreign_endings[] = {
    ".gz",     ".npy",     ".raw",         ".bin",      ".txt",      ".csv",     ".tsv",
    ".mtx",    ".bz2",     ".bz",          ".xz",       ".zst",      ".zstd",    ".lz4",
    ".lzma",   ".lz",      ".br",          ".z",        ".sz",       ".zip",     ".7z",
    ".rar",    ".tar",     ".tgz",         ".tbz",      ".tbz2",     ".txz",     ".tzst",
    ".npz",    ".parquet", ".pq",          ".arrow",    ".feather",  ".orc",     ".avro",
    ".h5",     ".hdf5",    ".hdf",         ".nc",       ".mat",      ".json",    ".jsonl",
    ".ndjson", ".xls",     ".xlsx",        ".ods",      ".pkl",      ".pickle",  ".sqlite",
    ".db",     ".svg",     ".svgz",        ".png",      ".jpg",      ".jpeg",    ".gif",
    ".bmp",    ".tif",     ".tiff",        ".webp",     ".pdf",      ".eps",     ".ps",
    ".html",   ".xml",     ".yaml",        ".yml",      ".gzip",     ".zz",      ".lzo",
    ".cab",    ".jar",     ".iso",         ".doc",      ".docx",     ".odt",     ".rtf",
    ".ppt",    ".pptx",    ".numbers",     ".xlsb",     ".xlsm",     ".htm",     ".xhtml",
    ".toml",   ".geojson", ".gpx",         ".kml",      ".shp",      ".dbf",     ".tex",
    ".pt",     ".pth",     ".safetensors", ".onnx",     ".tfrecord", ".msgpack", ".bson",
    ".cbor",   ".pb",      ".fits",        ".fit",      ".nc4",      ".cdf",     ".grib",
    ".grb",    ".sav",     ".dta",         ".sas7bdat", ".xpt",      ".rds",     ".rda",
    ".rdata",  ".wav",     ".mp3",         ".flac",     ".ogg",      ".mp4",     ".avi",
    ".ico",    ".ppm",     ".pgm",         ".pbm",      ".pnm",      ".psd",     ".heic",
    ".dot",    ".sql",     ".sqlite3",     ".duckdb",   ".mdb",      ".exe",     ".so",
    ".o",      ".zlib",    ".snappy",      ".zarr",     ".zpaq",     ".cpio",    ".deb",
    ".rpm",    ".dmg",     ".lzh",         ".lha",      ".arj",      ".xar",     ".gnumeric",
    ".fods",   ".accdb",   ".parq",        ".lance",    ".vtk",      ".las",     ".laz",
    ".avif",   ".heif",    ".webm",        ".mkv",      ".mov",      ".odp",     ".epub"};

}  // namespace

namespace {

/// Whether text begins with ASCII characters of 2 or 4 bytes, without a byte order mark.
bool is_wide(std::string_view head) {
  if (head.size() < 4) return false;
  bool const little = head[0] != 0 && head[1] == 0 && head[3] == 0;
  bool const big = head[0] == 0 && head[2] == 0 && head[3] != 0;
  return little || big;
}

}  // namespace

void refuse_foreign_content(byte_reader& in, std::string_view expected) {
  constexpr std::size_t looked_at = 512;
  auto const ahead = in.peek_arrived(looked_at);
  std::string_view const head(reinterpret_cast<char const*>(ahead.data()),
                              std::min(ahead.size(), looked_at));
  if (head.starts_with("%%MatrixMarket")) {
    throw file_error(in.name(), "is a Matrix Market file, which scan-spmv reads, expected " +
                                    std::string(expected));
  }
  if (head.starts_with("\x93NUMPY")) {
    throw file_error::at_line(in.name(), 1,
                              "'\\x93NUMPY' begins npy data, expected " + std::string(expected));
  }
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) {
    throw file_error::at_line(in.name(), 1, "text in UTF-16, expected UTF-8");
  }
  if (is_text(head)) return;  // words may begin like magic bytes
  for (magic const& one : magics) {
    if (head.size() < one.at || !head.substr(one.at).starts_with(one.bytes)) continue;
    throw file_error(in.name(), "holds " + std::string(one.name) + ", expected " +
                                    (expected == "text" ? "npy or " : "") + std::string(expected) +
                                    ", plain or in " + std::string(compressed_formats()));
  }
  // After the magic bytes: a tar archive begins with a name and zeros.
  if (is_wide(head)) {
    throw file_error::at_line(in.name(), 1, "text in UTF-16 or UTF-32, expected UTF-8");
  }
}

void refuse_foreign_ending(std::string_view path, std::string_view allowed, std::string_view name) {
  std::string_view const base = path.substr(path.rfind('/') + 1);
  std::size_t const dot = base.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return;
  std::string_view const given = base.substr(dot);
  std::string ending(given);
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::ranges::find(foreign_endings, ending) == std::end(foreign_endings)) return;
  if ((std::string(allowed) + " ").find(ending + " ") != std::string::npos) return;
  throw usage_error(std::string(name.empty() ? path : name) + ": the ending " + std::string(given) +
                    " means a format that is not written here, expected " + std::string(allowed) +
                    ", or an ending that means no format");
}

}  // namespace libscan::apps
