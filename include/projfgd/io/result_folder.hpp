#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace projfgd {

/// A folder that is taken for this process until the object is gone, or the process is: a kill
/// leaves no lock behind.
class FolderLock;

/// Takes the folder, makes it where it is missing, and removes what killed runs left half written.
/// Throws FileError where there is no place for the folder, or while another run has it, in this
/// process or another.
std::shared_ptr<FolderLock> lock_folder(const std::filesystem::path& folder);

/// Puts a file beside the results, whole or not at all: write(path) makes it where nobody looks.
/// What a kill leaves of it the next run removes. Throws FileError.
void put_beside_results(const std::filesystem::path& folder, const std::string& name,
                        const std::function<void(const std::filesystem::path&)>& write);

/// Kinds of results: what runs and comparisons find, and what simulations draw. One of a kind takes
/// the place of another.
inline constexpr const char *run_results = "run", *simulated_data = "data";

/// What a run that writes these files would take away: earlier files of these names, and all of the
/// run before of its kind.
std::vector<std::filesystem::path> replaced_files(const std::filesystem::path& folder,
                                                  const std::vector<std::string>& files,
                                                  const std::string& kind = run_results);

/// The files of one run in a folder, whatever happens.
///
/// Files are first written, and brought to the disk, where nobody looks. publish() then takes away
/// all files of the run before and only after that puts the new ones in their places, so that a
/// kill at any moment leaves files of one run or none, and a full disk leaves the old ones. Which
/// files belong to a run stands in a hidden list in the folder, one for each kind of results; other
/// files there are left alone.
class ResultFolder {
 public:
  /// Takes the folder as lock_folder() does, or shares what this process has. `kind` tells results
  /// that may stand side by side, such as simulated data and what was found from them.
  ResultFolder(const std::filesystem::path& folder, const std::string& kind);
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  /// Removes what was added and not published.
  ~ResultFolder();

  /// Adds a file. Throws FileError.
  void add(const std::string& name, std::string_view bytes);
  /// The same with what writes the file at a path.
  void add(const std::string& name, const std::function<void(const std::filesystem::path&)>& write);

  /// Makes the files that were added those of the folder, in the order they were added.
  void publish();

 private:
  std::filesystem::path folder_, staging_;
  std::string list_;  ///< name of the hidden list
  std::shared_ptr<FolderLock> lock_;
  std::vector<std::string> added_;
};

}  // namespace projfgd
